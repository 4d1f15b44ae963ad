import { BudgetError, type BudgetErrorCode } from '../errors/budget-error.ts';
import { isThenable } from '../internal/is-thenable.ts';
import type { MaybePromise } from '../internal/maybe-promise.ts';
import type { Usage } from '../protocol/chat.ts';
import type { Counters, IncrementOptions } from '../protocol/counters.ts';
import { type BudgetPort, type BudgetRun, countedLimit } from './budget-port.ts';
import type { Session } from './session.ts';

/** Counters of the app's own may never answer. */
const COUNTING_MS = 10_000;

/** What one run spends from: one budget, one who spends, one window. */
export class BudgetAccount {
  readonly budget: BudgetPort;
  readonly key: string;
  /** As it is counted. */
  readonly limit: number;
  readonly #expiresInMs: number | undefined;
  readonly #counters: Counters;
  /** What this call counts by now. */
  #counted = 0;

  constructor(
    budget: BudgetPort,
    about: {
      readonly key: string;
      readonly limit: number;
      readonly expiresInMs: number | undefined;
      readonly counters: Counters;
    },
  ) {
    this.budget = budget;
    this.key = about.key;
    this.limit = about.limit;
    this.#expiresInMs = about.expiresInMs;
    this.#counters = about.counters;
  }

  /** What was spent in the window, and what is reserved for calls under way, as it is counted. Throws `BudgetError`. */
  spent(): Promise<number> {
    return this.#ask(() => this.#counters.read(this.key));
  }

  /** Throws `BudgetError` where what is left would not cover a call. */
  async requireRoom(): Promise<void> {
    const spent = await this.spent();
    if (spent + this.budget.reserve > this.limit) throw this.#error('budget-reached');
  }

  /** Takes what a call may cost, if there is room for it. Throws `BudgetError`. */
  async reserve(): Promise<void> {
    const { reserve } = this.budget;
    const value = await this.#add({ by: reserve, max: this.limit });
    if (value > this.limit) throw this.#error('budget-reached');
    this.#counted = reserve;
  }

  /**
   * Puts what was spent in the place of what was reserved, or of what was said before of the same call. Throws
   * `BudgetError`, with the usage that was paid for.
   */
  async settle(spent: number, usage?: Usage): Promise<void> {
    const by = spent - this.#counted;
    if (by !== 0) await this.#add({ by }, usage);
    this.#counted = spent;
  }

  #add(options: IncrementOptions, usage?: Usage): Promise<number> {
    const expiresInMs = this.#expiresInMs;
    const ends = expiresInMs === undefined ? options : { ...options, expiresInMs };
    return this.#ask(() => this.#counters.increment(this.key, ends), usage);
  }

  async #ask(count: () => MaybePromise<number>, usage?: Usage): Promise<number> {
    try {
      const value: unknown = await inTime(count());
      if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
    } catch (cause) {
      throw this.#error('counters-failed', { cause, usage });
    }
    throw this.#error('counters-failed', { usage });
  }

  #error(
    code: BudgetErrorCode,
    { usage, ...facts }: { readonly cause?: unknown; readonly usage?: Usage | undefined } = {},
  ): BudgetError {
    return new BudgetError(code, this.budget.name, {
      ...facts,
      ...(usage !== undefined && { usage }),
    });
  }
}

/** What a call of this run spends from, each once, whoever above or below has named it too. Throws `BudgetError`. */
export function accountsOf(
  session: Session,
  budgets: readonly BudgetPort[],
): readonly BudgetAccount[] {
  const { facts, context } = session.options;
  const { agentPath, sender, channel, session: ofApp } = facts;
  const { threadId, ports } = session;
  const run: BudgetRun = { context, threadId, agentPath, sender, channel, session: ofApp };
  const now = ports.clock.now();
  const accounts = new Map<string, BudgetAccount>();
  for (const budget of budgets) {
    const account = accountOf(budget, run, { counters: ports.counters, now });
    if (account === undefined) continue;
    const known = accounts.get(account.key);
    // Two agents may say different things of one budget; then the stricter holds.
    if (known === undefined || account.limit < known.limit) accounts.set(account.key, account);
  }
  return [...accounts.values()];
}

/** What a run spends from of one budget; nothing where that does not bind it. Throws `BudgetError`. */
export function accountOf(
  budget: BudgetPort,
  run: BudgetRun,
  { counters, now }: { readonly counters: Counters; readonly now: number },
): BudgetAccount | undefined {
  const { key, limit } = readTerms(budget, run);
  if (key === null) return undefined;
  const { id, expiresInMs } = budget.windowAt(now);
  const counter = `budget:${budget.name}:${budget.unit}:${id}:${key}`;
  return new BudgetAccount(budget, { key: counter, limit, expiresInMs, counters });
}

/**
 * Looks whether a call would find room, so that a message that cannot be answered is not stored. Reserves nothing. A
 * cancel does not wait for the counters.
 */
export function spentBudget(
  session: Session,
  budgets: readonly BudgetPort[],
): Promise<BudgetError | 'cancelled' | undefined> {
  const { cancel } = session.options;
  return new Promise((resolve, reject) => {
    const onCancel = (): void => resolve('cancelled');
    cancel.listen(onCancel);
    requireRoom(session, budgets)
      .then(resolve, reject)
      .finally(() => cancel.unlisten(onCancel));
  });
}

async function requireRoom(
  session: Session,
  budgets: readonly BudgetPort[],
): Promise<BudgetError | undefined> {
  try {
    for (const account of accountsOf(session, budgets)) await account.requireRoom();
    return undefined;
  } catch (error) {
    if (BudgetError.isInstance(error)) return error;
    throw error;
  }
}

/** Nothing that is no key is read as "no budget": a tenant that was forgotten would spend without limit. */
function readTerms(
  budget: BudgetPort,
  run: BudgetRun,
): { readonly key: string | null; readonly limit: number } {
  let key: unknown;
  let limit: unknown;
  try {
    key = atOnce(budget.keyOf(run));
    if (key === null) return { key, limit: 0 };
    limit = atOnce(budget.limitOf(run));
  } catch (cause) {
    throw new BudgetError('budget-unknown', budget.name, { cause });
  }
  const isKey = typeof key === 'string' && key !== '';
  if (!isKey || typeof limit !== 'number' || !(limit >= 0))
    throw new BudgetError('budget-unknown', budget.name);
  const counted = countedLimit(budget.unit, limit);
  if (!Number.isSafeInteger(counted)) throw new BudgetError('budget-unknown', budget.name);
  return { key: key as string, limit: counted };
}

/** What comes later is no answer, and must not be an unhandled rejection either: nobody waits for it. */
function atOnce(given: unknown): unknown {
  if (isThenable(given)) new Promise((resolve) => resolve(given)).catch(() => undefined);
  return given;
}

function inTime(answer: MaybePromise<number>): MaybePromise<number> {
  if (!isThenable(answer)) return answer;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`the counters gave no answer within ${COUNTING_MS} ms`)),
      COUNTING_MS,
    );
    const end = (): void => clearTimeout(timer);
    // A foreign thenable may throw when it is waited for.
    new Promise<number>((settle) => settle(answer)).then(resolve, reject).finally(end);
  });
}
