import type { Message } from '../protocol/message.ts';
import type { CompactionCause, Cut } from './compaction-state.ts';
import type { CompactionPort } from './ports.ts';
import type { OpenTurn } from './state.ts';
import type { ThreadHistory } from './thread-history.ts';

/** Throws where the app's own count of tokens cannot be gone by. */
export function countTokens(messages: readonly Message[], { countTokens }: CompactionPort): number {
  const tokens: unknown = countTokens(messages);
  if (typeof tokens !== 'number' || !Number.isFinite(tokens) || tokens < 0)
    throw new TypeError('`compaction.countTokens` gave something that is no number of tokens');
  return tokens;
}

/** What is to be cut, and what for. */
export interface CutWish {
  readonly history: ThreadHistory;
  readonly turn: OpenTurn;
  readonly cause: CompactionCause;
  /** How many of the latest tokens stay. */
  readonly keep: number;
  /** True while a message of the user waits that is not part of the history. */
  readonly hasCandidate: boolean;
  readonly compaction: CompactionPort;
}

/**
 * Where the context is cut. A call stays with its result, and what the model has to go on from stays: without a
 * message that is still to be sent, that is the last one, or the last batch. What is more than a budget long is cut
 * in parts, as the model that writes the summary has to read it. Nothing where nothing can go, or too little for a
 * summary to be shorter.
 */
export function chooseCut(wish: CutWish): Cut | undefined {
  const { history, compaction, cause } = wish;
  const messages = history.after(history.upTo);
  const last = lastCut(messages, wish);
  const cut = readable(messages, last, wish);
  if (cut === 0) return undefined;
  const upTo = history.upTo + cut;
  const tokens = countTokens(coveredBy(history, upTo), compaction);
  if (cause === 'budget' && tokens <= longestSummary(upTo, wish)) return undefined;
  return { upTo, tokens, ...(cut < last && { isPart: true }) };
}

/** What a summary up to there takes the place of: the one before it, and the messages after that. */
export function coveredBy(history: ThreadHistory, upTo: number): readonly Message[] {
  const { context } = history;
  const following = history.count - upTo;
  return Object.freeze(context.slice(0, context.length - following));
}

/** The message of the user that is being worked on, where a summary up to there stands for it. */
export function openMessage(
  history: ThreadHistory,
  turn: OpenTurn,
  upTo: number,
): Message | undefined {
  return turn.firstMessage < upTo ? history.after(turn.firstMessage)[0] : undefined;
}

function lastCut(messages: readonly Message[], wish: CutWish): number {
  const { keep, hasCandidate, compaction } = wish;
  const end = hasCandidate ? messages.length : lastMove(messages);
  let cut = messages.length;
  for (let kept = 0; cut > 0; cut -= 1) {
    kept += countTokens(messages.slice(cut - 1, cut), compaction);
    if (kept > keep) break;
  }
  cut = Math.max(0, Math.min(cut, end));
  // A result is sent with its call, or not at all.
  return messages[cut]?.role === 'tool' ? cut + 1 : cut;
}

/** Up to where it is read at once: as far as the budget goes, and in any case so far that a summary is shorter. */
function readable(messages: readonly Message[], last: number, wish: CutWish): number {
  const { history, compaction } = wish;
  let tokens = countTokens(coveredBy(history, history.upTo), compaction);
  let [cut, inCut] = [0, 0];
  for (let next = 0; next < last; next += 1) {
    tokens += countTokens(messages.slice(next, next + 1), compaction);
    if (tokens > compaction.maxTokens && inCut > longestSummary(history.upTo + cut, wish))
      return cut;
    if (messages[next + 1]?.role !== 'tool') [cut, inCut] = [next + 1, tokens];
  }
  return last;
}

function lastMove(messages: readonly Message[]): number {
  const last = messages.length - 1;
  return messages[last]?.role === 'tool' ? last - 1 : last;
}

function longestSummary(upTo: number, { history, turn, compaction }: CutWish): number {
  const quoted = openMessage(history, turn, upTo);
  const quote = quoted === undefined ? 0 : countTokens([quoted], compaction);
  return compaction.maxSummaryTokens + quote;
}
