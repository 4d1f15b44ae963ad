import type { ChatStreamPart } from '../../protocol/chat.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { cutShort } from '../cut-short.ts';
import { type ModelFacts, readFinishReason, readUsage, wasCut } from './read-finish.ts';
import {
  endedInError,
  readFile,
  readMetadata,
  readOrigin,
  readToolCall,
  unreadable,
} from './read-result.ts';
import { isRecord, readString } from './read-values.ts';
import type { AiSdkPart, AiSdkStream } from './spec.ts';
import { WireIds } from './wire-ids.ts';

/**
 * Reads a streamed answer up to its `finish`. Throws what an `error` part holds, and a `network` error for a
 * stream that stops short: a cut answer must never pass for a whole one. Whoever stops reading early closes the
 * connection.
 */
export async function* readStream(
  stream: AiSdkStream,
  facts: ModelFacts,
): AsyncGenerator<ChatStreamPart> {
  const reader = stream.getReader();
  const parts = new PartReader(facts);
  let open = true;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || value === undefined) {
        open = false;
        throw parts.cut();
      }
      for (const part of parts.read(value)) yield part;
      if (parts.finished) return;
    }
  } catch (error) {
    // A reader that failed has nothing left to close.
    if (error !== parts.raised) open = false;
    throw error;
  } finally {
    // The answer is whole or its error is on the way: that closing failed too would only hide it.
    if (open) await reader.cancel().catch(() => undefined);
  }
}

const NOTHING: readonly ChatStreamPart[] = Object.freeze([]);

/** Turns the parts of one stream into ours, one by one. */
class PartReader {
  finished = false;
  /** What this reader itself threw, when the stream still stands. */
  raised: unknown;
  readonly #facts: ModelFacts;
  readonly #ids = new WireIds();
  readonly #toolNames = new Map<string, string>();
  /** The metadata of blocks that are still open. */
  readonly #blocks = new Map<string, JsonObject>();
  #origin: { readonly id?: string; readonly model?: string } = {};

  constructor(facts: ModelFacts) {
    this.#facts = facts;
  }

  cut(): unknown {
    return this.#raise(cutShort(this.#facts.id));
  }

  read(part: AiSdkPart): readonly ChatStreamPart[] {
    switch (part.type) {
      case 'text-start':
      case 'text-delta':
      case 'text-end':
        return this.#block('text', part);
      case 'reasoning-start':
      case 'reasoning-delta':
      case 'reasoning-end':
        return this.#block('reasoning', part);
      case 'tool-input-start':
        if (part.providerExecuted !== true) {
          this.#toolNames.set(readString(part.id), readString(part.toolName));
        }
        return NOTHING;
      case 'tool-input-delta':
        return this.#toolInput(part);
      case 'tool-call': {
        const call = readToolCall(part, this.#ids);
        return call === undefined ? NOTHING : [{ type: 'tool-call', call }];
      }
      case 'file':
        return [this.#file(part)];
      case 'response-metadata':
        this.#origin = readOrigin(part);
        return NOTHING;
      case 'error':
        throw this.#raise(part.error);
      case 'finish':
        return this.#finish(part);
      default:
        return NOTHING;
    }
  }

  /** Metadata may come with any part of a block, and holds for all of it: it is given at the block's end. */
  #block(type: 'text' | 'reasoning', part: AiSdkPart): readonly ChatStreamPart[] {
    const key = `${type} ${readString(part.id)}`;
    const more = readMetadata(part.providerMetadata);
    if (more !== undefined) this.#blocks.set(key, merge(this.#blocks.get(key) ?? {}, more));
    if (part.type.endsWith('-end')) return this.#close(key);
    const text = readString(part.delta);
    return text === '' ? NOTHING : [{ type, text }];
  }

  #close(key: string): readonly ChatStreamPart[] {
    const providerMetadata = this.#blocks.get(key);
    if (providerMetadata === undefined) return NOTHING;
    this.#blocks.delete(key);
    return [{ type: key.startsWith('text') ? 'text' : 'reasoning', text: '', providerMetadata }];
  }

  #toolInput(part: AiSdkPart): readonly ChatStreamPart[] {
    const id = readString(part.id);
    const toolName = this.#toolNames.get(id);
    const text = readString(part.delta);
    return toolName === undefined || text === ''
      ? NOTHING
      : [{ type: 'tool-input', id, toolName, text }];
  }

  #file(part: AiSdkPart): ChatStreamPart {
    const { mediaType, data } = readFile(part, this.#facts.id);
    if (data === undefined) {
      throw this.#raise(unreadable(this.#facts.id, 'a streamed file has a URL instead of data'));
    }
    return { type: 'file', mediaType, data };
  }

  #finish(part: AiSdkPart): readonly ChatStreamPart[] {
    const usage = readUsage(part, this.#facts);
    if (wasCut(part)) throw this.#raise(cutShort(this.#facts.id, usage));
    const finishReason = readFinishReason(part.finishReason, this.#facts);
    if (finishReason === 'error') throw this.#raise(endedInError(this.#facts.id, usage));
    this.finished = true;
    const closing = [...this.#blocks.keys()].flatMap((key) => this.#close(key));
    const result = { ...this.#origin, finishReason, usage };
    return [...closing, { type: 'finish', result }];
  }

  #raise(error: unknown): unknown {
    this.raised = error;
    return error;
  }
}

/** Metadata is grouped by provider; a later part adds to a group. */
function merge(first: JsonObject, more: JsonObject): JsonObject {
  const merged = { ...first };
  for (const [provider, group] of Object.entries(more)) {
    const before = merged[provider];
    merged[provider] = isRecord(before) && isRecord(group) ? { ...before, ...group } : group;
  }
  return merged as JsonObject; // Spread from two JSON objects.
}
