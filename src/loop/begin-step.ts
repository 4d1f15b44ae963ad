import type { EventBody } from '../events/event.ts';
import { withLast } from '../internal/join-lists.ts';
import type { Writable } from '../internal/writable.ts';
import type { UserMessage } from '../protocol/message.ts';
import { totalTokens } from '../protocol/usage.ts';
import type { LimitName, TurnLimitName } from './outcome.ts';
import type { Rules, TurnLimits } from './rules.ts';
import { pricedSoFar } from './spend.ts';
import type { Spent } from './spent-state.ts';
import type { OpenTurn, Phase, ThreadState } from './state.ts';
import {
  commitOwn,
  commitThen,
  enter,
  finish,
  type Transition,
  type Writes,
} from './transition.ts';

/** The first step of a turn. Nothing is stored before the request has been judged. */
export function beginFirstStep(
  state: ThreadState,
  turn: OpenTurn,
  start: { readonly candidate: UserMessage; readonly tick: number; readonly rules: Rules },
): Transition {
  const limit = limitReached(state, turn, start);
  if (limit !== undefined)
    return finishLimited(state, turn, { limit, rules: start.rules, events: [] });
  const begun = countStep(state, turn);
  return enter(
    begun.state,
    { name: 'requesting', turn: begun.turn, attempt: 0, armed: false, candidate: start.candidate },
    [{ type: 'step.started' }],
  );
}

/**
 * A further step. The commit that ends the step before it also says that the next call may start (L8), so a
 * step costs two commits.
 */
export function beginNextStep(
  state: ThreadState,
  turn: OpenTurn,
  start: Writes & {
    readonly tick: number;
    readonly rules: Rules;
    readonly events: readonly EventBody[];
    readonly note?: string;
    readonly rejected?: boolean;
    /** Set when the step had no answer to accept or reject. */
    readonly unanswered?: boolean;
    /** Set when the provider has refused the context as too long. */
    readonly overflowed?: true;
  },
): Transition {
  const limit = limitReached(state, turn, start);
  if (limit !== undefined) return finishLimited(state, turn, { ...start, limit });
  const answered = start.rejected === true ? 'rejected' : 'accepted';
  const ended: EventBody = {
    type: 'step.finished',
    outcome: start.unanswered === true ? 'ended' : answered,
  };
  const { messages, approvals, ledger, artifacts } = start;
  const events = withLast(start.events, ended);
  if (start.rules.singleStep) {
    const stopped: OpenTurn = { ...turn, between: true };
    const next = requesting({ turn: stopped, attempt: 0, armed: false }, start);
    return commitThen(state, next, { turn, events, messages, approvals, ledger, artifacts });
  }
  const begun = countStep(state, turn);
  const next = requesting({ turn: begun.turn, attempt: 1, armed: true }, start);
  const commit = { turn, events, messages, approvals, ledger, artifacts, begun: begun.turn };
  return commitOwn(begun.state, next, commit);
}

function requesting(
  { turn, attempt, armed }: Pick<Requesting, 'turn' | 'attempt' | 'armed'>,
  { note, overflowed }: Pick<Requesting, 'note' | 'overflowed'>,
): Phase {
  const next: Writable<Requesting> = { name: 'requesting', turn, attempt, armed };
  if (note !== undefined) next.note = note;
  if (overflowed !== undefined) next.overflowed = overflowed;
  return next;
}

type Requesting = Extract<Phase, { readonly name: 'requesting' }>;

/** Begins the step that a host stopped before. */
export function beginStoppedStep(state: ThreadState, phase: Requesting): Transition {
  const { between: _between, ...turn } = phase.turn;
  const begun = countStep(state, turn);
  return enter(begun.state, { ...phase, turn: begun.turn }, [{ type: 'step.started' }]);
}

export function finishLimited(
  state: ThreadState,
  turn: OpenTurn,
  ending: Writes & {
    readonly limit: LimitName;
    /** Its name, where the limit is a budget. */
    readonly budget?: string;
    readonly rules: Rules;
    readonly events: readonly EventBody[];
    readonly rejected?: boolean;
  },
): Transition {
  const { budget, ...writes } = ending;
  return finish(state, turn, {
    ...writes,
    outcome: {
      status: 'limited',
      limit: ending.limit,
      ...(budget !== undefined && { budget }),
      text: '',
    },
    fallback: 'limit',
  });
}

/** The state is one of its own. */
function countStep(
  state: ThreadState,
  turn: OpenTurn,
): { readonly state: Writable<ThreadState>; readonly turn: OpenTurn } {
  return {
    state: { ...state, totals: { ...state.totals, steps: state.totals.steps + 1 } },
    turn: { ...turn, step: turn.step + 1 },
  };
}

/** What the spending of a step that has begun has reached; its own call is not counted yet. */
export function spentLimit(
  state: ThreadState,
  turn: OpenTurn,
  at: { readonly tick: number; readonly rules: Rules },
): LimitName | undefined {
  const { totals } = state;
  const before = { ...state, totals: { ...totals, steps: totals.steps - 1 } };
  return limitReached(before, { ...turn, step: turn.step - 1 }, at);
}

function limitReached(
  state: ThreadState,
  turn: OpenTurn,
  { tick, rules }: { readonly tick: number; readonly rules: Rules },
): LimitName | undefined {
  const { limits } = rules;
  const now = tick - turn.activeSince;
  const ofTurn = reached(limits, turn, {
    steps: turn.step + (turn.childSteps ?? 0),
    activeMs: turn.activeMs + now,
    rules,
  });
  if (ofTurn !== undefined || limits.thread === undefined) return ofTurn;
  const { totals } = state;
  const activeMs = (totals.activeMs ?? 0) + now;
  const ofThread = reached(limits.thread, totals, { steps: totals.steps, activeMs, rules });
  return ofThread === undefined ? undefined : `thread-${ofThread}`;
}

function reached(
  limits: TurnLimits,
  spent: Spent,
  so: { readonly steps: number; readonly activeMs: number; readonly rules: Rules },
): TurnLimitName | undefined {
  const { steps, tokens, cost, wallTimeMs } = limits;
  if (wallTimeMs !== undefined && so.activeMs >= wallTimeMs) return 'wall-time';
  if (steps !== undefined && so.steps >= steps) return 'steps';
  if (tokens !== undefined && totalTokens(spent.usage) >= tokens) return 'tokens';
  if (cost === undefined) return undefined;
  const priced = pricedSoFar(spent, so.rules);
  const isUnknown = priced.unpriced === true && so.rules.unpriced === 'stop';
  return isUnknown || (priced.cost ?? 0) >= cost ? 'cost' : undefined;
}
