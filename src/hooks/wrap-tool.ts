import type { HookError } from '../errors/hook-error.ts';
import { deepFreeze } from '../internal/deep-freeze.ts';
import type { ToolInvocation, ToolResult } from '../protocol/tool.ts';
import type { ChainSetting } from './chain.ts';
import type { WrappedResult } from './gate.ts';
import { type ToolNest, WrapToolLevel } from './wrap-tool-level.ts';
import { CANCELLED_CALL, NOT_RUN, SUSPENDED, withheld } from './wrapped-results.ts';

/**
 * One tool call with its policies around it. Invariants:
 *
 * N5  The tool runs with no input that `preToolUse` has not passed.
 * N6  A call that ran is never told of as one that did not, nor the other way round.
 * N7  A cancel waits for a tool that runs, and for no policy.
 * N8  A call that waits for a person has no result that a policy could read, change or replace.
 */
export class WrappedToolCall implements ToolNest {
  readonly setting: ChainSetting;
  readonly core: ToolNest['core'];
  /** Those that have begun and not ended, outermost first. */
  readonly #levels = new Set<WrapToolLevel>();
  #running = 0;
  #ran: ToolInvocation | undefined;
  #last: ToolResult | undefined;
  #failure: HookError | undefined;
  #isOver = false;
  #resolve: ((result: WrappedResult) => void) | undefined;
  #reject: ((error: unknown) => void) | undefined;

  constructor(setting: ChainSetting, core: ToolNest['core']) {
    this.setting = setting;
    this.core = core;
  }

  get hasStarted(): boolean {
    return this.#ran !== undefined;
  }

  get last(): ToolResult | undefined {
    return this.#last;
  }

  run(invocation: ToolInvocation): Promise<WrappedResult> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.setting.run.ports.cancel.listen(this.#onCancel);
      if (this.#isOver) return;
      this.open(0, invocation).then((result) => this.end(result), reject);
    });
  }

  open(index: number, invocation: ToolInvocation): Promise<ToolResult> {
    const entry = this.setting.entries[index];
    return entry === undefined
      ? this.#execute(invocation)
      : new WrapToolLevel(this, { entry, index, invocation }).run();
  }

  began(level: WrapToolLevel): void {
    this.#levels.add(level);
  }

  failed(error: HookError): void {
    this.#failure = error;
  }

  ended(level: WrapToolLevel): void {
    this.#levels.delete(level);
  }

  end(result: ToolResult): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { cancel } = this.setting.run.ports;
    cancel.unlisten(this.#onCancel);
    for (const level of [...this.#levels]) level.abandon(result, cancel.reason);
    this.#resolve?.({
      result,
      unanswered: result === NOT_RUN || result === CANCELLED_CALL,
      ...(this.#ran !== undefined && { ran: this.#ran }),
      ...(this.#failure !== undefined && { failure: this.#failure }),
    });
  }

  async #execute(invocation: ToolInvocation): Promise<ToolResult> {
    this.#ran = invocation;
    this.#running += 1;
    try {
      const result = deepFreeze(await this.core.execute(invocation));
      if (result === SUSPENDED) this.end(SUSPENDED);
      else this.#last = result;
      return result;
    } catch (error) {
      // Every failure of a tool is a result: this is one of the engine, and not for a policy to catch.
      this.#reject?.(error);
      throw error;
    } finally {
      this.#running -= 1;
      // Policies that only pass the result on have done so by then.
      if (this.setting.run.cancelled && this.#running === 0) setImmediate(() => this.#cutOff());
    }
  }

  readonly #onCancel = (): void => {
    if (this.#running === 0) this.#cutOff();
  };

  /** Takes what is there: nothing, or a result that not every policy has let go (N6, N7). */
  #cutOff(): void {
    if (this.#isOver) return;
    const levels = [...this.#levels];
    const innermost = levels.at(-1);
    if (this.#last === undefined || innermost === undefined) {
      this.end(this.#last ?? CANCELLED_CALL);
      return;
    }
    innermost.recordCutOff();
    const isClosed = levels.some((level) => level.failure === 'closed');
    const given = innermost.lastGiven;
    this.end(isClosed || given === undefined ? withheld(this.#last) : given);
  }
}
