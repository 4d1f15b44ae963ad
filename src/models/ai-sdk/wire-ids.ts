import type { ToolCallPart, ToolResultPart } from '../../protocol/message.ts';

/**
 * Ids of tool calls that are unique within one request. Some providers send none, or the same one for each
 * call of a response or in each response, and refuse to get that back.
 */
export class WireIds {
  readonly #used = new Set<string>();
  readonly #byCall = new Map<string, string>();

  /** A free id, as near to the wanted one as can be. */
  claim(wanted: string): string {
    const base = wanted === '' ? 'call' : wanted;
    let id = base;
    for (let count = 2; this.#used.has(id); count += 1) id = `${base}_${count}`;
    this.#used.add(id);
    return id;
  }

  ofCall({ callId, providerCallId }: ToolCallPart): string {
    const id = this.claim(providerCallId);
    this.#byCall.set(callId, id);
    return id;
  }

  ofResult({ callId, providerCallId }: ToolResultPart): string {
    return this.#byCall.get(callId) ?? providerCallId;
  }
}
