import { jsonEqual } from '../internal/json-equal.ts';
import type { JsonValue } from '../protocol/json.ts';
import { valueAt } from '../protocol/template.ts';
import type { ReplyRule, Wanted } from '../tools/result-port.ts';
import type { PickedLine } from './after-call-state.ts';
import { fillLine, type LineValues } from './fill-line.ts';

/** The first line that matches and can be filled; nothing where none does. */
export function pickReply(
  replies: readonly ReplyRule[],
  about: LineValues & { readonly toolName: string; readonly result: JsonValue },
  said: { readonly [slot: string]: number } = NONE,
): PickedLine | undefined {
  for (const [index, { when, state, say }] of replies.entries()) {
    if (!when.every((wanted) => matches(wanted, about.result))) continue;
    if (!state.every((wanted) => matches(wanted, about.state))) continue;
    const slot = `${about.toolName}/${index}`;
    const turn = Object.hasOwn(said, slot) ? (said[slot] ?? 0) : 0;
    const text = fillLine(say[turn % say.length] ?? '', about);
    if (text === undefined) continue;
    if (say.length === 1) return { text };
    const rest = say.slice(1).map((_, later) => say[(turn + 1 + later) % say.length] ?? '');
    return { text, slot, further: rest.flatMap((line) => fillLine(line, about) ?? []) };
  }
  return undefined;
}

const NONE = Object.freeze({});

function matches({ path, values }: Wanted, from: LineValues['state'] | JsonValue): boolean {
  const value = valueAt(from, path) ?? null;
  return values.some((one) => jsonEqual(one, value));
}
