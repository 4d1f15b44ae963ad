import { BudgetError } from '../errors/budget-error.ts';
import { requireStream } from '../errors/require-stream.ts';
import type {
  ChatModel,
  ModelCallOptions,
  ModelCapabilities,
  ModelRequest,
  ModelResponse,
  ModelRetry,
} from '../models/port.ts';
import type { ChatStreamPart, Usage } from '../protocol/chat.ts';
import { totalTokens } from '../protocol/usage.ts';
import { accountsOf, type BudgetAccount } from './budget-account.ts';
import { type BudgetPort, countedSpending } from './budget-port.ts';
import { attemptWasBilled, mayBeBilled } from './may-be-billed.ts';
import { readPaidModel, readPaidUsage } from './read-model-response.ts';
import type { Session } from './session.ts';
import { costOfCall } from './spend.ts';
import type { OpenTurn } from './state.ts';

interface Metering {
  readonly session: Session;
  readonly turn: OpenTurn;
}

/** The model as it is called under the budgets of the run; itself where there are none. */
export function metered(model: ChatModel, about: Metering): ChatModel {
  const { budgets } = about.session.ports;
  return budgets === undefined ? model : new MeteredModel(model, budgets, about);
}

/**
 * Reserves before each call what it may cost, and puts what it has cost in its place as soon as that is known (L13). It
 * stands below the policies and above `retryModel`, so that it sees every call once: rejected, repeated, stopped,
 * cancelled or cut off, for an answer, a summary or a subagent. Where nobody says what a call has cost, what was reserved
 * for it stays counted.
 */
class MeteredModel implements ChatModel {
  readonly id: string;
  readonly capabilities: ModelCapabilities;
  readonly #model: ChatModel;
  readonly #budgets: readonly BudgetPort[];
  readonly #about: Metering;

  constructor(model: ChatModel, budgets: readonly BudgetPort[], about: Metering) {
    this.id = model.id;
    this.capabilities = model.capabilities ?? {};
    this.#model = model;
    this.#budgets = budgets;
    this.#about = about;
  }

  async generate(request: ModelRequest, options: ModelCallOptions): Promise<ModelResponse> {
    const accounts = await this.#reserve(options);
    const attempts = new Attempts(options);
    let given: ModelResponse;
    try {
      given = await this.#model.generate(request, attempts);
    } catch (error) {
      await this.#settleFailed(accounts, error, {
        isBilled: attempts.wasBilled || mayBeBilled(error),
      });
      throw error;
    }
    await this.#settle(accounts, given);
    return given;
  }

  async *stream(request: ModelRequest, options: ModelCallOptions): AsyncGenerator<ChatStreamPart> {
    const accounts = await this.#reserve(options);
    const attempts = new Attempts(options);
    let hasBegun = false;
    let said: unknown;
    try {
      for await (const part of requireStream(this.#model.stream(request, attempts), this.#model)) {
        hasBegun = true;
        if (part?.type === 'finish' && (said === undefined || attempts.mayEndAgain)) {
          said = part.result;
          attempts.hasBegunAgain = false;
          // Before anybody takes it for the end: a call that cannot be counted has no answer.
          await this.#settle(accounts, said);
        }
        yield part;
      }
    } catch (error) {
      const isBilled = hasBegun || attempts.wasBilled || mayBeBilled(error);
      // What it said at its end holds what was paid, unless it has begun again.
      if (said === undefined || attempts.hasBegunAgain)
        await this.#settleFailed(accounts, error, { isBilled, said });
      throw error;
    }
  }

  async #reserve(options: ModelCallOptions): Promise<readonly BudgetAccount[]> {
    const { session, turn } = this.#about;
    const { rules, cancel } = session.options;
    const accounts = accountsOf(session, this.#budgets);
    const costly = accounts.find(({ budget }) => budget.unit === 'cost');
    if (costly !== undefined && turn.unpriced === true && rules.unpriced === 'stop')
      throw new BudgetError('budget-reached', costly.budget.name);
    const reserved: BudgetAccount[] = [];
    try {
      for (const account of accounts) {
        await account.reserve();
        reserved.push(account);
      }
    } catch (error) {
      await settleAll(reserved, () => 0);
      throw error;
    }
    // Counting takes time: the turn may have ended, or the policy around this call may have let go of it.
    if (!cancel.cancelled && !options.signal.aborted) return accounts;
    await settleAll(accounts, () => 0);
    throw cancel.cancelled ? cancel.reason : options.signal.reason;
  }

  async #settle(accounts: readonly BudgetAccount[], paid: unknown): Promise<void> {
    const usage = readPaidUsage(paid);
    // A model that counts nothing has not said that it was free.
    if (totalTokens(usage) === 0) return;
    const answered = readPaidModel(paid);
    await settleAll(accounts, ({ budget }) => this.#spending(budget, usage, answered), usage);
  }

  async #settleFailed(
    accounts: readonly BudgetAccount[],
    error: unknown,
    { isBilled, said }: { readonly isBilled: boolean; readonly said?: unknown },
  ): Promise<void> {
    const paid = [error, said].find((one) => totalTokens(readPaidUsage(one)) > 0);
    const known = paid === undefined ? undefined : readPaidUsage(paid);
    const answered = paid === said ? readPaidModel(said) : undefined;
    await settleAll(
      accounts,
      ({ budget }) => {
        const spent = known === undefined ? 0 : this.#spending(budget, known, answered);
        return isBilled ? Math.max(spent, budget.reserve) : spent;
      },
      known,
    );
  }

  /** What a call without a price counts is what was reserved for it, or more where more is known, unless the app says that it is free. */
  #spending(budget: BudgetPort, usage: Usage, answered: string | undefined): number {
    if (budget.unit === 'tokens') return countedSpending('tokens', totalTokens(usage));
    const { rules } = this.#about.session.options;
    const { cost, unpriced } = costOfCall(usage, { answered, asked: this.id, rules });
    const known = countedSpending('cost', cost);
    return unpriced && rules.unpriced !== 'free' ? Math.max(known, budget.reserve) : known;
  }
}

/** What the model is given with its call; hears of the attempts that the model gives up for others. */
class Attempts implements ModelCallOptions {
  readonly #options: ModelCallOptions;
  #wasBilled = false;
  /** True once another attempt was begun after the last end that the model has told of. */
  hasBegunAgain = false;

  constructor(options: ModelCallOptions) {
    this.#options = options;
  }

  /** True once one was given up that has probably generated something. */
  get wasBilled(): boolean {
    return this.#wasBilled;
  }

  /** Another end that nobody is ready for ends nothing: who reads it takes the call as failed. */
  get mayEndAgain(): boolean {
    return this.hasBegunAgain && this.restarts;
  }

  get signal(): AbortSignal {
    return this.#options.signal;
  }

  get restarts(): boolean {
    return this.#options.restarts === true;
  }

  get onRetry(): (retry: ModelRetry) => void {
    return (retry) => {
      if (attemptWasBilled(retry.reason)) this.#wasBilled = true;
      this.hasBegunAgain = true;
      this.#options.onRetry?.(retry);
    };
  }
}

/** One that cannot be settled does not keep the others from it; what kept it is thrown. */
async function settleAll(
  accounts: readonly BudgetAccount[],
  spent: (account: BudgetAccount) => number,
  usage?: Usage,
): Promise<void> {
  const settled = await Promise.allSettled(
    accounts.map(async (account) => account.settle(spent(account), usage)),
  );
  for (const one of settled) if (one.status === 'rejected') throw one.reason;
}
