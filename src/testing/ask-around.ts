import { ConfigError } from '../errors/config-error.ts';
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

/** A test without types may have left it out; a policy would then be blamed for the call that fails. */
export function checkNext(next: unknown, point: string, example: string): void {
  if (typeof next === 'function') return;
  throw new ConfigError('invalid-input', {
    where: `ask(…).${point}`,
    what: 'its second argument, `next`, is no function',
    fix: `Give what is below the policy, such as \`${example}\``,
  });
}

export function closeAsked(gate: HookGate, { ports }: AskSetting): void {
  gate.close();
  ports.cancel.close();
}
