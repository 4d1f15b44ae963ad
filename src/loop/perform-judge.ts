import type { ChainVerdict, Moment } from '../hooks/gate.ts';
import { isThenable } from '../internal/is-thenable.ts';
import type { MaybePromise } from '../internal/maybe-promise.ts';
import type { ChatRequest, ChatResponse } from '../protocol/chat.ts';
import { textOf } from '../protocol/read-content.ts';
import type { IncomingText, OutgoingText, TurnStart } from '../protocol/texts.ts';
import { buildRequest } from './build-request.ts';
import type { Effect } from './effect.ts';
import type { LoopEvent } from './event.ts';
import { retract } from './retract.ts';
import type { Session } from './session.ts';
import type { OpenTurn } from './state.ts';

type Of<Type extends Effect['type']> = Extract<Effect, { readonly type: Type }>;

/** Asks about the turn and, if it may begin, about the user's text. A message without text has nothing to ask about. */
export function judgeOpening(
  effect: Of<'judge-opening'>,
  session: Session,
): MaybePromise<LoopEvent> {
  const { turn, message } = effect;
  const gate = session.gateFor(turn.turnId);
  const start: TurnStart = Object.freeze({ turnId: turn.turnId, isFirst: turn.isFirst });
  const goOn = (opened: ChainVerdict<TurnStart>): MaybePromise<LoopEvent> => {
    const event: LoopEvent = { type: 'opening.judged', turn: opened };
    const text = textOf(message);
    return opened.type !== 'pass' || text === '' || !gate.has('onUserMessage')
      ? orCancelled(session, opened, event)
      : judgeMessage(effect, session, { text, opened });
  };
  if (!gate.has('onTurnStart')) return goOn(pass(start));
  const opening = gate.turnStart(start, momentOf(turn, 0));
  return isThenable(opening) ? opening.then(goOn) : goOn(opening);
}

function judgeMessage(
  { turn, message }: Of<'judge-opening'>,
  session: Session,
  { text, opened }: { readonly text: string; readonly opened: ChainVerdict<TurnStart> },
): MaybePromise<LoopEvent> {
  const attachments = Object.freeze(message.content.filter((part) => part.type !== 'text'));
  const incoming: IncomingText = Object.freeze({ text, attachments });
  const gate = session.gateFor(turn.turnId);
  return after(gate.userMessage(incoming, momentOf(turn, 0)), (judged) =>
    orCancelled(session, judged, { type: 'opening.judged', turn: opened, message: judged }),
  );
}

export function judgeRequest(
  effect: Of<'judge-request'>,
  session: Session,
): MaybePromise<LoopEvent> {
  const { turn, attempt } = effect;
  const gate = session.gateFor(turn.turnId);
  const request = buildRequest(effect, session);
  session.request = request;
  session.hasStreamed = false;
  const answer = (verdict: ChainVerdict<ChatRequest>): LoopEvent =>
    orCancelled(session, verdict, {
      type: 'request.judged',
      verdict,
      model: session.ports.model.id,
    });
  if (!gate.has('preLlmRequest')) return answer(pass(request));
  return after(gate.request(request, momentOf(turn, attempt)), answer);
}

export function judgeResponse(
  effect: Of<'judge-response'>,
  session: Session,
): MaybePromise<LoopEvent> {
  const { turn, attempt, response } = effect;
  const gate = session.gateFor(turn.turnId);
  const answer = (verdict: ChainVerdict<ChatResponse>): LoopEvent => {
    retract(session, verdict, { turn, point: 'onLlmResponse' });
    return orCancelled(session, verdict, {
      type: 'response.judged',
      verdict,
      tick: session.tick,
    });
  };
  if (!gate.has('onLlmResponse')) return answer(pass(response));
  let added = response.toolCalls.length;
  const newCallId = (): string => `${turn.turnId}.${turn.step}.${added++}`;
  return after(gate.response(response, newCallId, momentOf(turn, attempt)), answer);
}

export function judgeOutgoing(
  effect: Of<'judge-outgoing'>,
  session: Session,
): MaybePromise<LoopEvent> {
  const { turn, text, isFinal } = effect;
  const gate = session.gateFor(turn.turnId);
  const message: OutgoingText = Object.freeze({ text, isFinal });
  const answer = (verdict: ChainVerdict<OutgoingText>): LoopEvent => {
    retract(session, verdict, { turn, point: 'onOutgoingMessage' });
    return orCancelled(session, verdict, { type: 'outgoing.judged', verdict });
  };
  if (text === '' || !gate.has('onOutgoingMessage')) return answer(pass(message));
  return after(gate.outgoing(message, momentOf(turn, 1)), answer);
}

export function momentOf(turn: OpenTurn, attempt: number): Moment {
  return { step: turn.step, attempt, purpose: 'main' };
}

function pass<Value>(value: Value): ChainVerdict<Value> {
  return { type: 'pass', value, modified: false };
}

function orCancelled(
  session: Session,
  verdict: ChainVerdict<unknown>,
  event: LoopEvent,
): LoopEvent {
  if (verdict.type === 'failed') session.error = verdict.error;
  return verdict.type === 'cancelled' ? { type: 'turn.cancelled' } : event;
}

/** Goes on at once with a synchronous verdict, which most are. */
function after<Value>(
  verdict: MaybePromise<ChainVerdict<Value>>,
  answer: (verdict: ChainVerdict<Value>) => LoopEvent,
): MaybePromise<LoopEvent> {
  return isThenable(verdict) ? verdict.then(answer) : answer(verdict);
}
