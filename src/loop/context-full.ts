import { chooseCut, countTokens } from './choose-cut.ts';
import type { Effect } from './effect.ts';
import type { LoopEvent } from './event.ts';
import type { CompactionPort } from './ports.ts';
import type { Session } from './session.ts';

type JudgeRequest = Extract<Effect, { readonly type: 'judge-request' }>;

/** Says when the context has to be made shorter before a request is built of it. Asked once a step. */
export function contextFull(
  effect: JudgeRequest,
  session: Session,
  compaction: CompactionPort,
): LoopEvent | undefined {
  if (effect.compacted === true) return undefined;
  if (effect.overflowed === true) return OVERFLOW;
  if (effect.turn.uncompacted === true) return undefined;
  try {
    if (!isOver(effect, session, compaction)) return undefined;
    const { keepTokens: keep } = compaction;
    const hasCandidate = effect.candidate !== undefined;
    // Where all of it has to stay, or too little can go, there is nothing to do, and nothing to tell.
    const { history } = session;
    const { turn } = effect;
    const cut = chooseCut({ history, turn, cause: 'budget', keep, hasCandidate, compaction });
    return cut === undefined ? undefined : BUDGET;
  } catch {
    // Not known to be small enough: whoever compacts counts again, and tells what is wrong.
    return BUDGET;
  }
}

const OVERFLOW: LoopEvent = Object.freeze({ type: 'context.full', cause: 'overflow' });
const BUDGET: LoopEvent = Object.freeze({ type: 'context.full', cause: 'budget' });

/**
 * What the provider counted last, and what has come since; without such a count, all of it. Counted no further than
 * to the budget.
 */
function isOver(
  { candidate }: JudgeRequest,
  { state, history, instructions }: Session,
  compaction: CompactionPort,
): boolean {
  const { measured } = state;
  const since =
    measured === undefined
      ? [...instructions, ...history.context]
      : history.after(measured.messages);
  // The answer to the call that was counted is in its count.
  const isCounted = measured !== undefined && since[0]?.role === 'assistant';
  let tokens = measured?.tokens ?? 0;
  for (const message of [
    ...(isCounted ? since.slice(1) : since),
    ...(candidate ? [candidate] : []),
  ]) {
    tokens += countTokens([message], compaction);
    if (tokens > compaction.maxTokens) return true;
  }
  return tokens > compaction.maxTokens;
}
