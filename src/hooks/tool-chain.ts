import { foldToolVotes, type ToolVote } from '../decisions/fold.ts';
import type { ModifyInput, ToolDecision } from '../decisions/tool-decision.ts';
import { deepFreeze } from '../internal/deep-freeze.ts';
import { isThenable } from '../internal/is-thenable.ts';
import type { MaybePromise } from '../internal/maybe-promise.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { ToolInvocation } from '../protocol/tool.ts';
import { type Ask, CANCELLED } from './ask.ts';
import { Chain, type ChainSetting, type Rewrite } from './chain.ts';
import type { CheckInput, HookFailed, ToolChainVerdict } from './gate.ts';
import type { Question } from './record.ts';

type Verdict = Exclude<ToolDecision, ModifyInput>;

/** What a later, milder answer of the same policy cannot take back, most restrictive last. */
const RESTRICTIVE: readonly ToolDecision['type'][] = [
  'requires-confirmation',
  'retry-with-feedback',
  'block',
];

/**
 * The tool gate: everyone is asked and the votes are folded. A policy has one vote: its most restrictive
 * answer, or an Allow if that was its last answer, so that no rewrite rides on a grant given before it.
 */
export class ToolChain extends Chain<ToolInvocation, Verdict, ModifyInput, ToolChainVerdict> {
  readonly #check: CheckInput;
  /** By position: what each policy said at first, and what it said to the final value if it was asked again. */
  readonly #first: (Verdict | undefined)[];
  #again: (Verdict | undefined)[] | undefined;

  constructor(setting: ChainSetting, invocation: ToolInvocation, check: CheckInput) {
    super(setting, invocation);
    this.#check = check;
    // Of its very length: a list that grows by its first entry takes room for seventeen.
    this.#first = new Array(setting.entries.length);
  }

  protected override question(recheck: boolean): Question {
    const { point, moment } = this.setting;
    const { callId, toolName } = this.value;
    return { point, payload: this.value, callId, toolName, moment, recheck };
  }

  protected override rewrite(decision: ModifyInput): MaybePromise<Rewrite<ToolInvocation>> {
    const checked = this.#check(decision.input);
    return isThenable(checked) ? checked.then((one) => this.#replace(one)) : this.#replace(checked);
  }

  protected override judge(decision: Verdict, ask: Ask): undefined {
    if (!ask.question.recheck) this.#first[this.index] = decision;
    else {
      this.#again ??= [];
      this.#again[this.index] = decision;
    }
  }

  protected override isSettled(): boolean {
    return this.#first.some((verdict) => verdict?.type === 'block');
  }

  protected override conclude(): ToolChainVerdict {
    const { entries } = this.setting;
    const votes = entries.map(({ policy, version }, index): ToolVote => {
      return { policy, version, decision: this.#voteOf(index) };
    });
    return { type: 'judged', verdict: foldToolVotes(votes), invocation: this.value };
  }

  protected override failed(failure: HookFailed): ToolChainVerdict {
    return failure;
  }

  protected override cancelled(): ToolChainVerdict {
    return CANCELLED;
  }

  #voteOf(index: number): Verdict | undefined {
    const first = this.#first[index];
    if (index >= this.lastModifier) return first;
    const last = this.#again?.[index];
    return rank(first) > rank(last) ? first : last;
  }

  #replace(
    checked: { readonly input: JsonObject } | { readonly problem: string },
  ): Rewrite<ToolInvocation> {
    if ('problem' in checked) return checked;
    return { value: Object.freeze({ ...this.value, effectiveInput: deepFreeze(checked.input) }) };
  }
}

/** -1 for everything that restricts nothing. */
function rank(verdict: Verdict | undefined): number {
  return verdict === undefined ? -1 : RESTRICTIVE.indexOf(verdict.type);
}
