import type { ErrorDecision } from '../decisions/error-decision.ts';
import { type ErrorVerdict, type ErrorVote, foldErrorVotes } from '../decisions/fold-errors.ts';
import type { AgentHooksError } from '../errors/base.ts';
import { type Ask, CANCELLED } from './ask.ts';
import { Chain, type ChainSetting, type Rewrite } from './chain.ts';
import type { AskedCall, HookCancelled, HookFailed } from './gate.ts';
import type { Question } from './record.ts';

type Verdict = ErrorVerdict | HookCancelled;

/**
 * Asks everyone about one error and folds what they say. A policy that fails here has said abort, unless it is open
 * at this point; nobody is asked about that failure, which could only fail again. Policies that are only told of an
 * error are told after a cancel too, and what they say decides nothing.
 */
export class ErrorChain extends Chain<AgentHooksError, ErrorDecision, never, Verdict> {
  protected override readonly rechecks = false;
  protected override readonly evenIfCancelled: boolean;
  readonly #call: AskedCall | undefined;
  readonly #votes: ErrorVote[] = [];

  constructor(
    setting: ChainSetting,
    error: AgentHooksError,
    about: { readonly call?: AskedCall | undefined; readonly told?: boolean },
  ) {
    super(setting, error);
    this.#call = about.call;
    this.evenIfCancelled = about.told === true;
  }

  protected override question(recheck: boolean): Question {
    const { point, moment } = this.setting;
    return { point, payload: this.value, moment, recheck, ...this.#call };
  }

  protected override rewrite(): Rewrite<AgentHooksError> {
    return { problem: 'an error cannot be changed' };
  }

  protected override judge(decision: ErrorDecision, ask: Ask): undefined {
    this.#votes.push({ policy: ask.entry.policy, decision });
  }

  protected override isSettled(): boolean {
    return true;
  }

  protected override conclude(): Verdict {
    return foldErrorVotes(this.#votes);
  }

  protected override failed({ error }: HookFailed): undefined {
    this.#votes.push({ policy: error.policy, decision: ABORT });
  }

  protected override cancelled(): Verdict | undefined {
    return this.evenIfCancelled ? undefined : CANCELLED;
  }
}

const ABORT: ErrorDecision = Object.freeze({ type: 'abort' });
