import type { JsonObject, JsonValue } from '../protocol/json.ts';
import { FACT_ROOTS } from '../protocol/template.ts';
import type { LineValues } from './fill-line.ts';
import type { Session } from './session.ts';

/** What a line about a call may name: its arguments before it runs, its result after that, facts and state always. */
export function lineValues(
  about:
    | { readonly toolName: string; readonly input: JsonObject }
    | { readonly toolName: string; readonly result: JsonValue },
  { options, values, ports, at }: Session,
): LineValues {
  const { session, sender, channel } = options.facts;
  const own = 'input' in about ? Object.entries(about.input) : [['result', about.result] as const];
  const roots = new Map<string, JsonValue>([
    ...own,
    ['session', session],
    ['call', session],
    ['sender', sender],
    ['channel', channel],
  ]);
  const { toolName } = about;
  const ownRoot = 'input' in about ? 'call' : 'result';
  return {
    roots,
    state: values?.view ?? {},
    say: (value, from, path) => {
      const isFact = FACT_ROOTS.includes(path[0] ?? '');
      const root = from === 'state' ? 'state' : isFact ? 'fact' : ownRoot;
      return ports.lines.say(value, { toolName, root, path, now: at });
    },
  };
}
