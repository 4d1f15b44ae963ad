import type { EventBody } from '../events/event.ts';
import type { ChainVerdict } from '../hooks/gate.ts';
import type { AssistantPart } from '../protocol/message.ts';
import type { OutgoingText } from '../protocol/texts.ts';
import { repliesTo } from '../protocol/tool-answer.ts';
import type { LoopEvent } from './event.ts';
import { fallbackText } from './fallback-text.ts';
import type { Outcome } from './outcome.ts';
import type { Rules } from './rules.ts';
import {
  assistantMessage,
  calledEvent,
  refusalResult,
  refusedEvent,
  toolMessage,
} from './settle-batch.ts';
import type { Batch, FinalText, OpenTurn, ThreadState } from './state.ts';
import { problemIn } from './step-answer.ts';
import { runBatch } from './step-batch.ts';
import { dropResponse, rejectAnswer, resetStreak } from './step-response.ts';
import { failed, finish, type Transition, type Writes } from './transition.ts';

type OutgoingVerdict = ChainVerdict<OutgoingText>;

/** The text for the user has been judged: it is stored and shown as it passed, or not at all. */
export function onOutgoingJudged(
  state: ThreadState,
  event: Extract<LoopEvent, { readonly type: 'outgoing.judged' }>,
  rules: Rules,
): Transition | undefined {
  const { phase } = state;
  const { verdict } = event;
  if (phase.name !== 'speaking' || verdict.type === 'cancelled') return undefined;
  const { turn, speech } = phase;
  if (speech.kind === 'final')
    return onFinalJudged(state, turn, { event, response: speech.response, rules });
  if (verdict.type === 'retry-with-feedback') return undefined;
  const { batch } = speech;
  if (verdict.type === 'pass') {
    const { text } = verdict.value;
    if (text !== '' && turn.output === undefined && onlyAsks(batch))
      return finishAsked(state, turn, { batch, text, rules });
    return runBatch(state, turn, {
      batch,
      text,
      events: text === '' ? [] : [{ type: 'message.outgoing', text, isFinal: false }],
    });
  }
  const events = [
    ...discarded(verdict, { text: batch.text, isFinal: false, rules }),
    fallbackEvent(state, rules),
  ];
  return runBatch(state, turn, { batch, events });
}

/** Only now is known whether an answer that has to fit a schema is accepted. */
function onFinalJudged(
  state: ThreadState,
  turn: OpenTurn,
  judged: {
    readonly event: Extract<LoopEvent, { readonly type: 'outgoing.judged' }>;
    readonly response: FinalText;
    readonly rules: Rules;
  },
): Transition | undefined {
  const { event, response, rules } = judged;
  const { verdict, point, tick } = event;
  if (turn.output === undefined) {
    if (verdict.type === 'retry-with-feedback') return undefined;
    return finishSpoken(state, turn, { response, verdict, rules });
  }
  if (verdict.type === 'retry-with-feedback') {
    const problem = problemIn(verdict);
    return rejectAnswer(state, turn, { problem, usage: response.usage, tick, rules });
  }
  const isStopped = verdict.type === 'block' || verdict.type === 'failed';
  if (point === 'onTextWindow' && isStopped)
    return dropResponse(state, turn, { verdict, point, rules });
  return finishSpoken(resetStreak(state), turn, { response, verdict, rules });
}

/** True when what the model said is its question for what its calls lack, so that the user is next and not the model. */
function onlyAsks({ calls }: Batch): boolean {
  return calls.every(
    ({ refusal }) =>
      refusal?.missing !== undefined && !repliesTo(refusalResult(refusal).output, { spoke: true }),
  );
}

/** Nothing of the batch runs, so the turn ends in one commit, with every call answered (L4). */
function finishAsked(
  state: ThreadState,
  turn: OpenTurn,
  asked: { readonly batch: Batch; readonly text: string; readonly rules: Rules },
): Transition {
  const { batch, text, rules } = asked;
  return finish(state, turn, {
    messages: [assistantMessage(batch.content, batch.calls, text), toolMessage(batch.calls, [])],
    events: [
      { type: 'message.outgoing', text, isFinal: true },
      ...batch.calls.flatMap((call) => [
        calledEvent(call),
        ...(call.refusal === undefined ? [] : [refusedEvent(call, call.refusal)]),
      ]),
    ],
    outcome: { status: 'completed', text, finishReason: 'tool-calls' },
    rules,
  });
}

function finishSpoken(
  state: ThreadState,
  turn: OpenTurn,
  spoken: {
    readonly response: FinalText;
    readonly verdict: OutgoingVerdict;
    readonly rules: Rules;
  },
): Transition {
  const { response, verdict, rules } = spoken;
  if (verdict.type === 'pass') {
    const { text } = verdict.value;
    const events: EventBody[] =
      text === '' ? [] : [{ type: 'message.outgoing', text, isFinal: true }];
    const outcome: Outcome = { status: 'completed', text, finishReason: response.finishReason };
    return finish(state, turn, { ...messageOf(response, text), outcome, events, rules });
  }
  const events = discarded(verdict, { text: response.text, isFinal: true, rules });
  const outcome: Outcome =
    verdict.type === 'block'
      ? {
          status: 'blocked',
          by: verdict.policy,
          point: 'onOutgoingMessage',
          reason: verdict.reason,
          text: '',
        }
      : failedOutcome(verdict);
  return finish(state, turn, {
    ...messageOf(response, ''),
    outcome,
    events,
    rules,
    fallback: 'outgoing',
  });
}

function failedOutcome(verdict: OutgoingVerdict): Outcome {
  if (verdict.type !== 'failed')
    throw new TypeError(`an outgoing text cannot be answered with ${verdict.type}`);
  return failed(verdict.error);
}

/** A refused text is kept in the audit as discarded; one that a failed policy withheld was never judged, and is not. */
export function discarded(
  verdict: OutgoingVerdict,
  {
    text,
    isFinal,
    rules,
  }: { readonly text: string; readonly isFinal: boolean; readonly rules: Rules },
): EventBody[] {
  if (verdict.type !== 'block') return [];
  // What one policy took out is not kept because another then refused the rest.
  const kept = rules.keepDiscarded ? (verdict.rewritten?.text ?? text) : '';
  return [{ type: 'message.outgoing', text: kept, isFinal, discarded: true }];
}

function fallbackEvent(state: ThreadState, rules: Rules): EventBody {
  return {
    type: 'message.outgoing',
    text: fallbackText(state, 'outgoing', rules),
    isFinal: false,
    fallback: 'outgoing',
  };
}

/** The list itself where it has none: what is filtered keeps room for sixteen more, and this is stored. */
function withoutCalls(content: readonly AssistantPart[]): readonly AssistantPart[] {
  const isKept = (part: AssistantPart): boolean => part.type !== 'tool-call';
  return content.every(isKept) ? content : content.filter(isKept);
}

/** No empty message enters the history: some providers refuse a thread that holds one. */
function messageOf(response: FinalText, text: string): Writes {
  const message = assistantMessage(withoutCalls(response.content), [], text);
  const worthKeeping = message.content.some((part) => part.type === 'text' || part.type === 'file');
  return { messages: worthKeeping ? [message] : [] };
}
