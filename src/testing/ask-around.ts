import { bindHooks } from '../hooks/bind.ts';
import type { CompiledHooks } from '../hooks/compile.ts';
import type { HookEntry } from '../hooks/entry.ts';
import type { HookGate } from '../hooks/gate.ts';
import type { AskOptions, AskSetting } from './ask-options.ts';

/** Whom to ask, and how. */
export interface AskedAround {
  readonly compiled: CompiledHooks;
  readonly entry: HookEntry;
  readonly options: AskOptions;
}

/** No other policy is there to be asked about what this one puts in place; its own other methods are. */
export function gateOf(
  point: 'wrapLlmCall' | 'wrapToolUse',
  { compiled, entry }: AskedAround,
  setting: AskSetting,
): { readonly gate: HookGate; readonly hasFailed: () => boolean } {
  const only = { ...compiled, entries: { ...compiled.entries, [point]: [strict(entry)] } };
  let failures = 0;
  const gate = bindHooks(only, setting.facts, {
    ...setting.ports,
    record: (body) => {
      if (body.type === 'hook.failed' && body.point === point) failures += 1;
    },
  });
  return { gate, hasFailed: () => failures > 0 };
}

/** An open point goes on as if the policy were not there; who asks here wants to know. */
export function strict(entry: HookEntry): HookEntry {
  return { ...entry, failure: 'closed' };
}

export function closeAsked(gate: HookGate, { ports }: AskSetting): void {
  gate.close();
  ports.cancel.close();
}
