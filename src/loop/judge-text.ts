import type { ChainVerdict, Moment, WindowVerdict } from '../hooks/gate.ts';
import { isThenable } from '../internal/is-thenable.ts';
import type { MaybePromise } from '../internal/maybe-promise.ts';
import type { ChatResponse } from '../protocol/chat.ts';
import type { Effect } from './effect.ts';
import { HeldText, type TextOutlet, type TextStop } from './held-text.ts';
import { momentOf } from './moment-of.ts';
import type { Session } from './session.ts';
import type { OpenTurn } from './state.ts';

/** Holds the text of one model call back, where somebody reads along and some policy may let it go. */
export function holdText(
  place: {
    readonly turn: OpenTurn;
    readonly moment: Moment;
    readonly session: Session;
  },
  outlet: Omit<TextOutlet, 'release'>,
): HeldText | undefined {
  const { turn, moment, session } = place;
  if (!session.options.windowed || moment.purpose !== 'main') return undefined;
  const windows = session.gateFor(turn.turnId).textWindows(moment);
  const held = new HeldText(windows, { ...outlet, release: (text) => show(session, turn, text) });
  session.held = held;
  return held;
}

/**
 * Asks about the whole text of an answer, whether or not any of it has left. Nothing where nobody objects, or
 * there is no text.
 */
export function judgeWholeText(
  { turn, attempt, response }: Extract<Effect, { readonly type: 'judge-response' }>,
  session: Session,
): MaybePromise<TextStop | undefined> {
  const { text } = response;
  const held = session.gateFor(turn.turnId).has('onTextWindow')
    ? session.held?.finish(text)
    : undefined;
  if (text === '' || held === undefined) return askWindows(text, session, { turn, attempt });
  return isThenable(held) ? held.then(stopOf) : stopOf(held);
}

/** Asks about a text of which nothing has left, as one last window. */
export function askWindows(
  text: string,
  session: Session,
  { turn, attempt }: { readonly turn: OpenTurn; readonly attempt: number },
): MaybePromise<TextStop | undefined> {
  const gate = session.gateFor(turn.turnId);
  if (text === '' || !gate.has('onTextWindow')) return undefined;
  const windows = gate.textWindows(momentOf(turn, attempt));
  const verdict = windows.ask({ text, before: '', released: 0, isFinal: true });
  return isThenable(verdict) ? verdict.then(stopOf) : stopOf(verdict);
}

/** Lets what is left of an accepted text go; of a rewritten one nothing more leaves as it was. */
export function releaseRest(
  session: Session,
  turn: OpenTurn,
  judged: { readonly response: ChatResponse; readonly verdict: ChainVerdict<ChatResponse> },
): void {
  const { held } = session;
  session.held = undefined;
  const { verdict, response } = judged;
  if (held === undefined || verdict.type !== 'pass' || verdict.modified) return;
  const rest = held.restOf(response.text);
  if (rest !== '') show(session, turn, rest);
}

function stopOf(verdict: WindowVerdict): TextStop | undefined {
  return verdict.type === 'release' ? undefined : verdict;
}

function show(session: Session, turn: OpenTurn, text: string): void {
  session.hasStreamed = true;
  session.record({ type: 'llm.delta', kind: 'text', text }, turn.turnId, turn.step);
}
