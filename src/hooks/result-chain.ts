import type { Keep } from '../decisions/shared-moves.ts';
import type { ModifyResult } from '../decisions/tool-result-decision.ts';
import type { ToolInvocation, ToolResult } from '../protocol/tool.ts';
import { withFiles } from '../protocol/with-files.ts';
import type { Ask } from './ask.ts';
import { Chain, type ChainSetting, type Rewrite } from './chain.ts';
import type { Question } from './record.ts';

/** What stands in the place of a result that a closed policy could not look at. */
const WITHHELD =
  'The result was withheld: a policy failed while it was checked. The call itself did run.';

/**
 * Looks at the result of a call that ran. The order is turned around when the entries are compiled, and the
 * last word is that of the first policy, so nobody is asked twice. A result is recorded whatever happens:
 * a cancel cuts off only a hook that takes its time, which has then failed.
 */
export class ResultChain extends Chain<ToolResult, Keep, ModifyResult, ToolResult> {
  protected override readonly rechecks = false;
  protected override readonly evenIfCancelled = true;
  readonly #invocation: ToolInvocation;

  constructor(setting: ChainSetting, invocation: ToolInvocation, result: ToolResult) {
    super(setting, result);
    this.#invocation = invocation;
  }

  protected override question(recheck: boolean): Question {
    const { point, moment } = this.setting;
    const { callId, toolName } = this.#invocation;
    return {
      point,
      payload: this.#invocation,
      result: this.value,
      callId,
      toolName,
      moment,
      recheck,
    };
  }

  protected override rewrite(decision: ModifyResult): Rewrite<ToolResult> {
    const { output = this.value.output, isError = this.value.isError } = decision.result;
    const { files = this.value.files } = decision.result;
    const { outcome } = this.value;
    return { value: withFiles({ outcome, isError, output }, files) };
  }

  protected override judge(): undefined {}

  protected override isSettled(): boolean {
    return true;
  }

  protected override conclude(): ToolResult {
    return this.value;
  }

  protected override failed(): ToolResult {
    return Object.freeze({ outcome: this.value.outcome, isError: true, output: WITHHELD });
  }

  protected override cancelled(ask: Ask): ToolResult | undefined {
    return this.fail(
      ask,
      ask.error('timed-out', { detail: 'the turn was cancelled while the hook ran' }),
    );
  }
}
