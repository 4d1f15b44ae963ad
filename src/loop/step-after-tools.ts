import type { EventBody } from '../events/event.ts';
import { deepFreeze } from '../internal/deep-freeze.ts';
import type { Message } from '../protocol/message.ts';
import type { SaidLine } from './after-call-state.ts';
import { beginNextStep } from './begin-step.ts';
import type { Rules } from './rules.ts';
import type { BatchCall, FinishedCall, OpenTurn, ThreadState } from './state.ts';
import { finish, type Transition, type Writes } from './transition.ts';

/** The turn as it is once these calls are over: one of them may have ended the conversation. */
export function withEnd(
  turn: OpenTurn,
  finished: readonly FinishedCall[],
  calls: readonly BatchCall[],
): OpenTurn {
  const ended = finished.find(({ after }) => after?.ends !== undefined);
  if (ended === undefined) return turn;
  const { toolName = '' } = calls.find(({ callId }) => callId === ended.callId) ?? {};
  return { ...turn, endedBy: toolName };
}

/**
 * How a turn goes on whose batch is over: the model is asked what is next, unless lines have answered for it or a call
 * has ended the conversation. An answer that has to fit a schema only the model can give.
 */
export function goOn(
  state: ThreadState,
  turn: OpenTurn,
  batch: Writes & {
    readonly finished: readonly FinishedCall[];
    readonly said?: readonly SaidLine[] | undefined;
    readonly events: readonly EventBody[];
    readonly tick: number;
    readonly rules: Rules;
  },
): Transition {
  const { finished, said } = batch;
  const isOver = turn.endedBy !== undefined || said !== undefined;
  if (!isOver || turn.output !== undefined) return beginNextStep(state, turn, batch);
  if (said !== undefined) return finishSaid(state, turn, { ...batch, said });
  const text = finished.find(({ after }) => after?.ends !== undefined)?.after?.ends?.text ?? '';
  return finish(state, turn, { ...batch, outcome: completed(text) });
}

/** The lines are the answer of the assistant, in one message after the results that they answer. */
function finishSaid(
  state: ThreadState,
  turn: OpenTurn,
  ending: Writes & {
    readonly said: readonly SaidLine[];
    readonly events: readonly EventBody[];
    readonly rules: Rules;
  },
): Transition {
  const { said, messages = [] } = ending;
  const text = said.map((line) => line.text).join('\n');
  const answer: Message = { role: 'assistant', content: [{ type: 'text', text }] };
  const events: EventBody[] = [...ending.events, ...said.flatMap(eventsOfLine)];
  events.push({ type: 'message.outgoing', text, isFinal: true });
  return finish(countLines(state, said), turn, {
    ...ending,
    messages: [...messages, deepFreeze(answer)],
    events,
    outcome: completed(text),
  });
}

function completed(text: string) {
  return { status: 'completed', text, finishReason: 'tool-calls' } as const;
}

function eventsOfLine({ kind, callId, toolName, text }: SaidLine): EventBody[] {
  const said: EventBody = { type: 'line.said', kind, callId, toolName, text };
  return kind === 'reply'
    ? [said, { type: 'tool.replied', callId, toolName, source: 'model' }]
    : [said];
}

/** Whose turn is next, where several lines take turns. */
function countLines(state: ThreadState, said: readonly SaidLine[]): ThreadState {
  const slots = said.flatMap(({ slot }) => slot ?? []);
  if (slots.length === 0) return state;
  const lines = new Map(Object.entries(state.lines ?? {}));
  for (const slot of slots) lines.set(slot, (lines.get(slot) ?? 0) + 1);
  return { ...state, lines: Object.fromEntries(lines) };
}
