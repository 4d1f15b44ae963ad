import { isThenable } from '../internal/is-thenable.ts';
import type { MaybePromise } from '../internal/maybe-promise.ts';
import type { PickedLine, SaidLine } from './after-call-state.ts';
import type { Effect } from './effect.ts';
import type { LoopEvent } from './event.ts';
import { judgeOutgoing } from './perform-judge.ts';
import type { Session } from './session.ts';
import { finishedCalls } from './settle-batch.ts';
import type { BatchCall, FinishedCall } from './state.ts';
import { discarded } from './step-outgoing.ts';

type RunTools = Extract<Effect, { readonly type: 'run-tools' }>;
type ToolsFinished = Extract<LoopEvent, { readonly type: 'tools.finished' }>;

/**
 * Has the lines judged that answer a batch in the place of the model, each as every other text for the user. They are
 * said all or not at all: the model, which is asked otherwise, would not know what of its answer was said.
 */
export function sayLines(
  effect: RunTools,
  event: ToolsFinished,
  session: Session,
): MaybePromise<ToolsFinished> {
  const { turn, calls, finished: earlier = [], ending } = effect;
  // Nobody waits for an answer, or only the model can give it.
  if (
    event.waits === true ||
    event.handed !== undefined ||
    event.cancelled ||
    ending ||
    turn.output !== undefined
  )
    return event;
  const finished = [...earlier, ...event.results];
  const hasEnded = finished.some(({ after }) => after?.ends !== undefined);
  const lines = linesOf(calls, finished, hasEnded);
  if (lines.length === 0) return event;
  const told = (said: readonly SaidLine[]): ToolsFinished => {
    const { tick } = session;
    if (session.options.cancel.cancelled) return { ...event, cancelled: true, tick };
    const isWhole = said.length === lines.length || hasEnded;
    return said.length > 0 && isWhole ? { ...event, said, tick } : event;
  };
  const judged = judgeFrom(0, [], { lines, effect, session });
  return isThenable(judged) ? judged.then(told) : told(judged);
}

/** A line for every call, or none; where the conversation ends, whatever there is to say before. */
function linesOf(
  calls: readonly BatchCall[],
  finished: readonly FinishedCall[],
  hasEnded: boolean,
): readonly SaidLine[] {
  const find = finishedCalls(finished);
  const replies: SaidLine[] = [];
  const goodbyes: SaidLine[] = [];
  for (const call of calls) {
    const { callId, toolName } = call;
    const after = find(call)?.after;
    if (after?.reply !== undefined)
      replies.push({ ...inItsTurn(after.reply, replies), kind: 'reply', callId, toolName });
    else if (!hasEnded) return [];
    const goodbye = after?.ends?.goodbye;
    if (goodbye !== undefined) goodbyes.push({ kind: 'goodbye', callId, toolName, text: goodbye });
  }
  return [...replies, ...goodbyes.slice(0, 1)];
}

/** Each call picked its line before it was known what others of its batch would have said. */
function inItsTurn(
  { text, slot, further = [] }: PickedLine,
  before: readonly SaidLine[],
): Pick<SaidLine, 'text' | 'slot'> {
  if (slot === undefined) return { text };
  const turns = [text, ...further];
  const turn = before.filter((line) => line.slot === slot).length;
  return { text: turns[turn % turns.length] ?? text, slot };
}

interface Judging {
  readonly lines: readonly SaidLine[];
  readonly effect: RunTools;
  readonly session: Session;
}

/** Goes on without a promise for as long as the answers come at once. */
function judgeFrom(
  first: number,
  said: readonly SaidLine[],
  judging: Judging,
): MaybePromise<readonly SaidLine[]> {
  const { lines, effect, session } = judging;
  const passed = [...said];
  for (let index = first; index < lines.length; index += 1) {
    const line = lines[index] as SaidLine; // the loop stays below the length
    const { turn } = effect;
    const asked = { type: 'judge-outgoing', turn, text: line.text, isFinal: true } as const;
    const judged = judgeOutgoing(asked, session);
    if (isThenable(judged))
      return judged.then((event) =>
        judgeFrom(index + 1, [...passed, ...passedOf(line, event, judging)], judging),
      );
    passed.push(...passedOf(line, judged, judging));
  }
  return passed;
}

/** A line that a policy refused is kept in the audit, as any text that is. */
function passedOf(
  line: SaidLine,
  event: LoopEvent,
  { session, effect: { turn } }: Judging,
): readonly SaidLine[] {
  if (event.type !== 'outgoing.judged') return [];
  const { verdict } = event;
  if (verdict.type === 'pass') {
    const { text } = verdict.value;
    return text === '' ? [] : [{ ...line, text }];
  }
  const { rules } = session.options;
  for (const body of discarded(verdict, { text: line.text, isFinal: true, rules }))
    session.record(body, turn.turnId, turn.step);
  return [];
}
