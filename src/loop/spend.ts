import type { Writable } from '../internal/writable.ts';
import type { Usage } from '../protocol/chat.ts';
import { addTokens, ownUsage, totalTokens, usageSince } from '../protocol/usage.ts';
import type { ModelPrice, Rules } from './rules.ts';
import type { ChildSpent, Spent } from './spent-state.ts';
import type { OpenTurn, ThreadState } from './state.ts';

interface Paid {
  readonly rules: Rules;
  /** The model that was called. Default: the agent's. */
  readonly asked?: string | undefined;
}

/** What a call that was paid for adds to its turn and its thread, whatever became of its answer. */
export function spend(
  state: ThreadState,
  turn: OpenTurn,
  paid: Paid & { readonly usage: Usage; readonly model?: string },
): Spending {
  const { usage, model, rules } = paid;
  if (rules.prices === undefined) return spendUnpriced(state, turn, usage);
  const paidFor = costOfCall(usage, { answered: model, asked: paid.asked ?? rules.model, rules });
  const more = { usage, ...paidFor };
  return {
    state: {
      ...state,
      totals: { ...state.totals, ...sum(pricedSoFar(state.totals, rules), more) },
    },
    turn: { ...turn, ...sum(pricedSoFar(turn, rules), more) },
    ...(!paidFor.unpriced && { cost: paidFor.cost }),
  };
}

/** The state is one of its own. */
interface Spending {
  readonly state: Writable<ThreadState>;
  readonly turn: OpenTurn;
  readonly cost?: number;
}

function spendUnpriced(state: ThreadState, turn: OpenTurn, usage: Usage): Spending {
  const totals = { ...state.totals, usage: addTokens(state.totals.usage, usage) };
  return { state: { ...state, totals }, turn: { ...turn, usage: addTokens(turn.usage, usage) } };
}

/** A call that failed or was cut off may have been paid for or not. */
export function spendIfAny(
  state: ThreadState,
  turn: OpenTurn,
  paid: Paid & { readonly usage: Usage | undefined },
): { readonly state: ThreadState; readonly turn: OpenTurn } {
  const { usage } = paid;
  return usage === undefined || totalTokens(usage) === 0
    ? { state, turn }
    : spend(state, turn, { ...paid, usage });
}

/** Adds what a subagent has used since it was counted last. What it cost counts where the caller counts costs too. */
export function spendBelow(
  state: ThreadState,
  turn: OpenTurn,
  more: ChildSpent & { readonly rules: Rules },
): { readonly state: ThreadState; readonly turn: OpenTurn } {
  const { totals } = state;
  return {
    state: {
      ...state,
      totals: { ...totals, ...plus(totals, more), steps: totals.steps + more.steps },
    },
    turn: { ...turn, ...plus(turn, more), childSteps: (turn.childSteps ?? 0) + more.steps },
  };
}

function plus(earlier: Spent, more: ChildSpent & { readonly rules: Rules }): Spent {
  const usage = addTokens(earlier.usage, more.usage);
  if (more.rules.prices === undefined) return { usage };
  const before = pricedSoFar(earlier, more.rules);
  const isUnpriced = before.unpriced === true || more.unpriced === true;
  return {
    usage,
    cost: rounded((before.cost ?? 0) + (more.cost ?? 0)),
    ...(isUnpriced && { unpriced: true as const }),
  };
}

/** What a subagent has used since it was `counted`. */
export function spentSince(counted: ChildSpent | undefined, now: ChildSpent): ChildSpent {
  if (counted === undefined) return now;
  const cost = rounded((now.cost ?? 0) - (counted.cost ?? 0));
  return {
    steps: now.steps - counted.steps,
    usage: usageSince(counted.usage, now.usage),
    ...(now.cost !== undefined && { cost }),
    ...(now.unpriced === true && { unpriced: true as const }),
  };
}

/** What a turn has used in all, as its caller counts it. */
export function spentOf(turn: OpenTurn): ChildSpent {
  const { step, childSteps = 0, usage, cost, unpriced } = turn;
  return {
    steps: step + childSteps,
    usage,
    ...(cost !== undefined && { cost }),
    ...(unpriced === true && { unpriced }),
  };
}

/**
 * What was used before anybody had prices, at the price that the agent's model has now: a thread is as old as it is, and
 * what it used is not free because nobody counted. Unpriced where that model has no price. Without prices, as it is.
 */
export function pricedSoFar(spent: Spent, rules: Rules): Spent {
  const { usage, cost } = spent;
  if (cost !== undefined || rules.prices === undefined || totalTokens(usage) === 0) return spent;
  const now = costOf(usage, priceOf(undefined, rules.model, rules));
  return now === undefined ? { usage, cost: 0, unpriced: true } : { usage, cost: now };
}

/** What all calls of a turn, or of a thread, cost; absent without prices, and where one of the calls has none. */
export function costOfTurn(spent: Spent | undefined): { readonly cost?: number } {
  return spent?.cost === undefined || spent.unpriced === true ? {} : { cost: spent.cost };
}

/** The price of the model that answered, else of the one that was asked. Names come from a provider, so only own members count. */
function priceOf(
  answered: string | undefined,
  model: string,
  { prices }: Rules,
): ModelPrice | undefined {
  if (prices === undefined) return undefined;
  const name = [answered, model].find((one) => one !== undefined && Object.hasOwn(prices, one));
  return name === undefined ? undefined : prices[name];
}

interface CallCost {
  readonly cost: number;
  /** True when one of the models has no price: `cost` is that of the others. */
  readonly unpriced: boolean;
}

/** What one call cost, each model in it at its own price. */
export function costOfCall(
  usage: Usage,
  call: { readonly answered: string | undefined; readonly asked: string; readonly rules: Rules },
): CallCost {
  const { answered, asked, rules } = call;
  const { otherModels = [] } = usage;
  const own = ownUsage(usage);
  const isOwn = otherModels.length === 0 || totalTokens(own) > 0;
  const costs = otherModels.map((one) => costOf(one, priceOf(one.model, asked, rules)));
  if (isOwn) costs.push(costOf(own, priceOf(answered, asked, rules)));
  return {
    cost: rounded(costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0)),
    unpriced: costs.includes(undefined),
  };
}

function costOf(
  usage: Omit<Usage, 'otherModels'>,
  price: ModelPrice | undefined,
): number | undefined {
  if (price === undefined) return undefined;
  const cached = Math.min(usage.cachedInputTokens ?? 0, usage.inputTokens);
  const input = (usage.inputTokens - cached) * price.input;
  const read = cached * (price.cachedInput ?? price.input);
  return rounded((input + read + usage.outputTokens * price.output) / 1_000_000);
}

function sum(before: Spent, more: CallCost & { readonly usage: Usage }): Spent {
  const usage = addTokens(before.usage, more.usage);
  const isUnpriced = before.unpriced === true || more.unpriced;
  return {
    usage,
    cost: rounded((before.cost ?? 0) + more.cost),
    ...(isUnpriced && { unpriced: true as const }),
  };
}

/** To a billionth, so that ten times a tenth is one, and a limit is met when it is met. */
function rounded(cost: number): number {
  return Math.round(cost * 1e9) / 1e9;
}
