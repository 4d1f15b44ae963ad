import type { ChainVerdict } from '../hooks/gate.ts';
import { after } from '../internal/later.ts';
import type { MaybePromise } from '../internal/maybe-promise.ts';
import type { Writable } from '../internal/writable.ts';
import type { ChatRequest, ChatResponse } from '../protocol/chat.ts';
import { textOf } from '../protocol/read-content.ts';
import type { IncomingText, OutgoingText, TurnStart } from '../protocol/texts.ts';
import { NO_USAGE } from '../protocol/usage.ts';
import type { AnswerPort } from '../tools/answer-port.ts';
import { spentBudget } from './budget-account.ts';
import { buildRequest } from './build-request.ts';
import { contextFull } from './context-full.ts';
import type { Effect } from './effect.ts';
import type { LoopEvent, ResponsePoint } from './event.ts';
import type { TextStop } from './held-text.ts';
import { askWindows, judgeWholeText, releaseRest } from './judge-text.ts';
import { overBudget } from './model-endings.ts';
import { momentOf } from './moment-of.ts';
import { checkOutgoing, checkResponse, outputOf } from './perform-answer.ts';
import { textOfNotes } from './perform-notes.ts';
import { retract } from './retract.ts';
import type { Session } from './session.ts';
import { systemPrompt } from './system-prompt.ts';
import { forgetTold, type LateCalls, tellLate } from './tell-late.ts';

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
  return after(opening, goOn);
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
  const { budgets } = session.ports;
  if (budgets === undefined || effect.candidate === undefined) return judgeFor(effect, session);
  return spentBudget(session, budgets).then((spent) => {
    if (spent === 'cancelled') return { type: 'turn.cancelled' };
    return spent === undefined ? judgeFor(effect, session) : overBudget(spent, session, NO_USAGE);
  });
}

function judgeFor(effect: Of<'judge-request'>, session: Session): MaybePromise<LoopEvent> {
  const { background } = session.state;
  if (background === undefined) return judgeWith(effect, session, undefined);
  return tellLate(background, session, effect.turn).then((late) =>
    judgeWith(effect, session, late),
  );
}

function judgeWith(
  effect: Of<'judge-request'>,
  session: Session,
  late: LateCalls | undefined,
): MaybePromise<LoopEvent> {
  const { turn, attempt } = effect;
  const gate = session.gateFor(turn.turnId);
  session.hasStreamed = false;
  const { compaction } = session.ports;
  const full = compaction && contextFull(effect, session, compaction);
  if (full !== undefined) return full;
  const answer = (verdict: ChainVerdict<ChatRequest>): LoopEvent => {
    if (late !== undefined && verdict.type === 'pass') forgetTold(late, session);
    const model = session.ports.model.id;
    const judged: Writable<Extract<LoopEvent, { readonly type: 'request.judged' }>> = {
      type: 'request.judged',
      verdict,
      model,
    };
    if (late !== undefined) judged.late = late;
    return orCancelled(session, verdict, judged);
  };
  const moment = momentOf(turn, attempt);
  const prompt = systemPrompt(session, turn.turnId, moment);
  if ('type' in prompt) return answer(prompt);
  const notes = session.ports.notes.length === 0 ? undefined : textOfNotes(session, turn);
  if (typeof notes === 'object') return answer(notes);
  const told = bothTexts(late?.text, notes);
  const request = buildRequest(effect, session, { prompt, notes: told });
  session.request = request;
  if (!gate.has('preLlmRequest')) return answer(pass(request));
  return gate.request(request, moment, answer);
}

function bothTexts(first: string | undefined, second: string | undefined): string | undefined {
  if (first === undefined) return second;
  return second === undefined ? first : `${first}\n${second}`;
}

/** A text that a rewrite has changed is asked about again: what is shown in the end bypasses no window. */
export function judgeResponse(
  effect: Of<'judge-response'>,
  session: Session,
): MaybePromise<LoopEvent> {
  const { turn, response } = effect;
  const answer = (verdict: ChainVerdict<ChatResponse>, point: ResponsePoint): LoopEvent => {
    retract(session, verdict, { turn, point });
    releaseRest(session, turn, { response, verdict });
    return orCancelled(session, verdict, {
      type: 'response.judged',
      verdict,
      point,
      tick: session.tick,
    });
  };
  const accept = (verdict: ChainVerdict<ChatResponse>): MaybePromise<LoopEvent> => {
    const event = answer(verdict, 'onLlmResponse');
    if (verdict.type !== 'pass' || verdict.value.text === response.text) return event;
    const again = judgeWholeText({ ...effect, response: verdict.value }, session);
    const end = (stop: TextStop | undefined): LoopEvent =>
      stop === undefined ? event : answer(stop, 'onTextWindow');
    return after(again, end);
  };
  const output = outputOf(turn, session);
  const takeVerdict =
    output === undefined
      ? accept
      : (verdict: ChainVerdict<ChatResponse>): MaybePromise<LoopEvent> =>
          verdict.type === 'pass'
            ? after(checkResponse(verdict.value, output, session), (misfit) =>
                misfit === undefined ? accept(verdict) : answer(misfit, 'output'),
              )
            : accept(verdict);
  const goOn = (stop: TextStop | undefined): MaybePromise<LoopEvent> =>
    stop === undefined
      ? askAboutResponse(effect, session, takeVerdict)
      : answer(stop, 'onTextWindow');
  const judged = judgeWholeText(effect, session);
  return after(judged, goOn);
}

function askAboutResponse(
  { turn, attempt, response }: Of<'judge-response'>,
  session: Session,
  take: (verdict: ChainVerdict<ChatResponse>) => MaybePromise<LoopEvent>,
): MaybePromise<LoopEvent> {
  const gate = session.gateFor(turn.turnId);
  if (!gate.has('onLlmResponse')) return take(pass(response));
  let added = response.toolCalls.length;
  const newCallId = (): string => `${turn.turnId}.${turn.step}.${added++}`;
  return gate.response(response, { newCallId, moment: momentOf(turn, attempt) }, take);
}

export function judgeOutgoing(
  effect: Of<'judge-outgoing'>,
  session: Session,
): MaybePromise<LoopEvent> {
  const { turn } = effect;
  const answer = (
    verdict: ChainVerdict<OutgoingText>,
    point: OutgoingPoint = 'onOutgoingMessage',
  ): LoopEvent => {
    const isMisfit = verdict.type === 'retry-with-feedback';
    retract(session, verdict, { turn, point: isMisfit ? 'output' : point });
    const { tick } = session;
    return orCancelled(session, verdict, { type: 'outgoing.judged', verdict, point, tick });
  };
  const output = effect.isFinal ? outputOf(turn, session) : undefined;
  return output === undefined
    ? after(askAboutOutgoing(effect, session), answer)
    : judgeFinal(effect, session, { output, answer });
}

/** Holds what the policies have left of the text against the schema. */
function judgeFinal(
  effect: Of<'judge-outgoing'>,
  session: Session,
  to: {
    readonly output: AnswerPort;
    readonly answer: (verdict: ChainVerdict<OutgoingText>, point?: OutgoingPoint) => LoopEvent;
  },
): MaybePromise<LoopEvent> {
  const { turn, text, fromCall } = effect;
  const { output, answer } = to;
  const check = (verdict: ChainVerdict<OutgoingText>): MaybePromise<LoopEvent> =>
    after(checkOutgoing(verdict, output, session), answer);
  // What came as a call was no text until now.
  const stop = fromCall === true ? askWindows(text, session, { turn, attempt: 1 }) : undefined;
  return after(stop, (stopped) =>
    stopped === undefined
      ? after(askAboutOutgoing(effect, session), check)
      : answer(stopped, 'onTextWindow'),
  );
}

function askAboutOutgoing(
  { turn, text, isFinal }: Of<'judge-outgoing'>,
  session: Session,
): MaybePromise<ChainVerdict<OutgoingText>> {
  const gate = session.gateFor(turn.turnId);
  const message: OutgoingText = Object.freeze({ text, isFinal });
  if (text === '' || !gate.has('onOutgoingMessage')) return pass(message);
  return gate.outgoing(message, momentOf(turn, 1));
}

type OutgoingPoint = Extract<LoopEvent, { readonly type: 'outgoing.judged' }>['point'];

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
