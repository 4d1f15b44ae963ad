import { CompactionError, type CompactionProblem } from '../errors/compaction-error.ts';
import type { ChainVerdict, Moment, SummaryVerdict } from '../hooks/gate.ts';
import { maxSummaryChars } from '../hooks/summary-chain.ts';
import { isThenable } from '../internal/is-thenable.ts';
import type { MaybePromise } from '../internal/maybe-promise.ts';
import type { ChatRequest, ChatResponse, Usage } from '../protocol/chat.ts';
import { textOf } from '../protocol/read-content.ts';
import { chooseCut, countTokens, coveredBy, openMessage } from './choose-cut.ts';
import type { Cut, Summary } from './compaction-state.ts';
import type { Effect } from './effect.ts';
import type { LoopEvent } from './event.ts';
import { momentOf } from './moment-of.ts';
import { callAside } from './perform-model.ts';
import type { CompactionPort } from './ports.ts';
import type { Session } from './session.ts';
import type { OpenTurn } from './state.ts';
import { summaryMessage } from './summary-message.ts';
import { summaryPrompt, summaryRequest } from './summary-request.ts';
import { auxiliaryPrompt } from './system-prompt.ts';
import { clipped } from './transcript.ts';

type Of<Type extends Effect['type']> = Extract<Effect, { readonly type: Type }>;

/** What one compaction works with. */
interface Work {
  readonly session: Session;
  readonly turn: OpenTurn;
  readonly compaction: CompactionPort;
  readonly cut: Cut;
  readonly moment: Moment;
}

/** Asks the policies for a summary, and where none has one, about the request for it. */
export function compact(effect: Of<'compact'>, session: Session): MaybePromise<LoopEvent> {
  const { compaction } = session.ports;
  if (compaction === undefined) return failure(session, 'not-configured');
  const { turn, attempt } = effect;
  let cut: Cut | undefined;
  try {
    const { history } = session;
    cut = chooseCut({ ...effect, history, keep: keptBy(effect, session, compaction), compaction });
  } catch (cause) {
    return failure(session, 'not-counted', { cause });
  }
  if (cut === undefined) return failure(session, 'nothing-to-compact');
  const moment = summaryMoment(turn, attempt, compaction);
  const work = { session, turn, compaction, cut, moment };
  const gate = session.gateFor(turn.turnId);
  if (!gate.has('onContextCompact')) return requestSummary(work);
  const covered = coveredBy(session.history, cut.upTo);
  const asked = gate.contextCompact(covered, maxChars(compaction), moment);
  const take = (verdict: SummaryVerdict): MaybePromise<LoopEvent> => takeAnswer(verdict, work);
  return isThenable(asked) ? asked.then(take) : take(asked);
}

/** After an overflow the app's number was too high, or there was none to go by: half goes, and then all that can. */
function keptBy(
  { cause }: Of<'compact'>,
  { state, history }: Session,
  compaction: CompactionPort,
): number {
  const { keepTokens } = compaction;
  // Asked in any case: a count that fails is told of as that, whatever there is to cut.
  const tokens = countTokens(cause === 'budget' ? [] : history.context, compaction);
  if (cause === 'budget') return keepTokens;
  return (state.overflows ?? 0) > 1 ? 0 : Math.min(keepTokens, Math.floor(tokens / 2));
}

function takeAnswer(verdict: SummaryVerdict, work: Work): MaybePromise<LoopEvent> {
  switch (verdict.type) {
    case 'cancelled':
      return { type: 'turn.cancelled' };
    case 'failed':
      return failure(work.session, 'policy-failed', { cause: verdict.error });
    case 'summary':
      return give(verdict.text, work, verdict.policy);
    case 'no-opinion':
      return requestSummary(work);
  }
}

function requestSummary(work: Work): MaybePromise<LoopEvent> {
  const { session, turn, compaction, cut, moment } = work;
  const gate = session.gateFor(turn.turnId);
  const model = compaction.model.id;
  const about = { turnId: turn.turnId, moment, model };
  const prompt = auxiliaryPrompt(session, summaryPrompt(compaction), about);
  if ('type' in prompt) return refusal(prompt, session);
  const { history, state } = session;
  const request = summaryRequest(prompt, {
    earlier: state.summary,
    messages: history.after(history.upTo).slice(0, cut.upTo - history.upTo),
    maxSummaryTokens: compaction.maxSummaryTokens,
  });
  session.request = request;
  const answer = (verdict: ChainVerdict<ChatRequest>): LoopEvent => {
    if (verdict.type !== 'pass') return refusal(verdict, session);
    const modified = verdict.modified && { request: verdict.value };
    return { type: 'summary.requested', cut, model, ...modified };
  };
  if (!gate.has('preLlmRequest')) return answer({ type: 'pass', value: request, modified: false });
  return gate.request(request, moment, answer);
}

/** One call, through the policies around it like any other. */
export async function callSummary(
  { turn, attempt, ...effect }: Of<'call-summary'>,
  session: Session,
): Promise<LoopEvent> {
  const { compaction } = session.ports;
  const request = effect.request ?? session.request;
  if (compaction === undefined || request === undefined)
    throw new TypeError('a summary was to be called for before its request was built');
  const { model } = compaction;
  const called = await callAside({
    request,
    turn,
    session,
    model,
    moment: summaryMoment(turn, attempt, compaction),
  });
  switch (called.type) {
    case 'model.responded':
      return { type: 'summary.responded', response: called.response };
    case 'model.failed':
      return failure(session, 'model-failed', { cause: called.error, usage: called.usage });
    case 'call.refused':
      return failure(session, 'blocked', { usage: called.usage });
    default:
      return called;
  }
}

/** A text passes the policies like any answer, and then has to be one that can take the place of the history. */
export function judgeSummary(
  { turn, attempt, cut, response }: Of<'judge-summary'>,
  session: Session,
): MaybePromise<LoopEvent> {
  const { compaction } = session.ports;
  if (compaction === undefined) return failure(session, 'not-configured');
  const moment = summaryMoment(turn, attempt, compaction);
  const work = { session, turn, compaction, cut, moment };
  const gate = session.gateFor(turn.turnId);
  if (!gate.has('onLlmResponse')) return read(response, work);
  let added = response.toolCalls.length;
  const newCallId = (): string => `${turn.turnId}.${turn.step}.${added++}`;
  const take = (verdict: ChainVerdict<ChatResponse>): LoopEvent =>
    verdict.type === 'pass' ? read(verdict.value, work) : refusal(verdict, session);
  return gate.response(response, { newCallId, moment }, take);
}

function read({ text, finishReason }: ChatResponse, work: Work): LoopEvent {
  const isWhole = finishReason !== 'length' && finishReason !== 'content-filter';
  const fits = text.trim() !== '' && text.length <= maxChars(work.compaction);
  return isWhole && fits ? give(text, work) : failure(work.session, 'unusable');
}

/** Takes the place of what it stands for only where that makes the context shorter. */
function give(text: string, { session, turn, compaction, cut }: Work, by?: string): LoopEvent {
  const { history } = session;
  const summary: Summary = { text: withOpenMessage(text, session, { turn, cut }), upTo: cut.upTo };
  let tokens: number;
  try {
    tokens = countTokens([summaryMessage(summary)], compaction);
  } catch (cause) {
    return failure(session, 'not-counted', { cause });
  }
  if (tokens >= cut.tokens) return failure(session, 'no-progress');
  return {
    type: 'summary.given',
    summary,
    messagesBefore: history.context.length,
    messagesAfter: history.count - cut.upTo + 1,
    ...(by !== undefined && { by }),
    ...(cut.isPart === true && { isPart: true }),
    tick: session.now(),
  };
}

/** What the user asked for in a turn that goes on is not left to whoever wrote the summary. */
function withOpenMessage(
  text: string,
  { history, ports }: Session,
  { turn, cut }: { readonly turn: OpenTurn; readonly cut: Cut },
): string {
  const message = openMessage(history, turn, cut.upTo);
  if (message === undefined || ports.compaction === undefined) return text;
  const asked = clipped(textOf(message), maxChars(ports.compaction));
  return `${text}\n\nThe latest message of the user in it, word for word: ${JSON.stringify(asked)}`;
}

function refusal(
  verdict: Exclude<ChainVerdict<unknown>, { readonly type: 'pass' }>,
  session: Session,
): LoopEvent {
  switch (verdict.type) {
    case 'cancelled':
      return { type: 'turn.cancelled' };
    case 'failed':
      return failure(session, 'policy-failed', { cause: verdict.error });
    case 'block':
    case 'retry-with-feedback':
      return failure(session, 'blocked');
  }
}

function failure(
  session: Session,
  problem: CompactionProblem,
  about: { readonly cause?: unknown; readonly usage?: Usage | undefined } = {},
): LoopEvent {
  const { cause, usage } = about;
  const { threadId } = session;
  const options = 'cause' in about ? { cause } : undefined;
  const error = new CompactionError({ threadId, problem }, options);
  session.error = error;
  return {
    type: 'summary.failed',
    error,
    ...(usage !== undefined && { usage }),
    tick: session.now(),
  };
}

function summaryMoment(turn: OpenTurn, attempt: number, { model }: CompactionPort): Moment {
  return { ...momentOf(turn, attempt, 'compaction'), model: model.id };
}

function maxChars({ maxSummaryTokens }: CompactionPort): number {
  return maxSummaryChars(maxSummaryTokens);
}
