import type { Accept } from '../decisions/response-decision.ts';
import type { Block, Keep, Proceed, RetryWithFeedback } from '../decisions/shared-moves.ts';
import type { MaybePromise } from '../internal/maybe-promise.ts';
import { unreachable } from '../internal/unreachable.ts';
import { type Ask, CANCELLED } from './ask.ts';
import { Chain, type ChainSetting, type Rewrite } from './chain.ts';
import type { Move } from './entry.ts';
import type { ChainVerdict, HookFailed } from './gate.ts';
import type { Question } from './record.ts';

type Plain = Proceed | Keep | Accept | Block | RetryWithFeedback;

/** How a point puts a rewrite in place. `recheck`: nothing new may be made for it. */
export type Rewriter<Value, Modify> = (
  value: Value,
  decision: Modify,
  recheck: boolean,
) => Rewrite<Value>;

/** Every point but the tool gate and its results: the first Block or RetryWithFeedback ends the chain. */
export class VerdictChain<Value, Modify extends Move> extends Chain<
  Value,
  Plain,
  Modify,
  ChainVerdict<Value>
> {
  readonly #rewriter: Rewriter<Value, Modify>;

  constructor(setting: ChainSetting, value: Value, rewriter: Rewriter<Value, Modify>) {
    super(setting, value);
    this.#rewriter = rewriter;
  }

  protected override question(recheck: boolean): Question {
    const { point, moment } = this.setting;
    return { point, payload: this.value, moment, recheck };
  }

  protected override rewrite(decision: Modify, recheck: boolean): MaybePromise<Rewrite<Value>> {
    return this.#rewriter(this.value, decision, recheck);
  }

  protected override judge(decision: Plain, ask: Ask): ChainVerdict<Value> | undefined {
    const { policy } = ask.entry;
    switch (decision.type) {
      case 'proceed':
      case 'keep':
      case 'accept':
        return undefined;
      case 'block':
        return {
          type: 'block',
          policy,
          reason: decision.reason,
          ...(this.modified && { rewritten: this.value }),
        };
      case 'retry-with-feedback':
        return { type: 'retry-with-feedback', feedback: [{ policy, feedback: decision.feedback }] };
      default:
        return unreachable(decision, 'verdict chain');
    }
  }

  protected override isSettled(): boolean {
    return false;
  }

  protected override conclude(): ChainVerdict<Value> {
    return { type: 'pass', value: this.value, modified: this.modified };
  }

  protected override failed(failure: HookFailed): ChainVerdict<Value> {
    return failure;
  }

  protected override cancelled(): ChainVerdict<Value> {
    return CANCELLED;
  }
}
