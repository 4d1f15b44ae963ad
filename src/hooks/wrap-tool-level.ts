import type { HookError, HookFailureKind } from '../errors/hook-error.ts';
import { isThenable } from '../internal/is-thenable.ts';
import type { MaybePromise } from '../internal/maybe-promise.ts';
import { readToolResult } from '../protocol/read-tool-result.ts';
import type { ToolInvocation, ToolResult } from '../protocol/tool.ts';
import { Ask, type FailureFacts } from './ask.ts';
import type { ChainSetting } from './chain.ts';
import type { HookEntry } from './entry.ts';
import type { ToolChainVerdict, ToolCore } from './gate.ts';
import { recordDecision, recordFailure } from './record.ts';
import { rewriteInvocation } from './rewrite-invocation.ts';
import { WrapClock } from './wrap-clock.ts';
import { blocked, NOT_RUN, refusalOf, SUSPENDED, withheld } from './wrapped-results.ts';

/** The call all levels belong to. */
export interface ToolNest {
  readonly setting: ChainSetting;
  readonly core: ToolCore & {
    /** Asks `preToolUse` about an input that was put in the place of the one that was judged. */
    readonly judge: (invocation: ToolInvocation) => MaybePromise<ToolChainVerdict>;
  };
  /** True once the tool has been started. */
  readonly hasStarted: boolean;
  /** What the tool gave when it ran last; absent when it did not. */
  readonly last: ToolResult | undefined;
  /** Goes on with the next policy, or with the tool below the last one. Rejects only when the engine breaks. */
  open(index: number, invocation: ToolInvocation): Promise<ToolResult>;
  began(level: WrapToolLevel): void;
  /** Told of each policy that fails, whatever comes of that. */
  failed(error: HookError): void;
  ended(level: WrapToolLevel): void;
  /** Ends the call for every level. */
  end(result: ToolResult): void;
}

type Arrived = { readonly value: unknown } | { readonly error: HookError };

/** One policy around a tool call. Whatever it does, there is one result, which tells what was done. */
export class WrapToolLevel {
  readonly #nest: ToolNest;
  readonly #ask: Ask;
  readonly #index: number;
  readonly #invocation: ToolInvocation;
  readonly #clock: WrapClock;
  /** What its `next` calls have given. */
  readonly #given: ToolResult[] = [];
  /** How many of them it may still be waiting for. */
  #inside = 0;
  #calls = 0;
  /** How it has ended, while something it started still runs. */
  #arrived: Arrived | undefined;
  #isOver = false;
  #hasPassed = false;
  #resolve: ((result: ToolResult) => void) | undefined;

  constructor(
    nest: ToolNest,
    at: {
      readonly entry: HookEntry;
      readonly index: number;
      readonly invocation: ToolInvocation;
    },
  ) {
    const { run, point, moment } = nest.setting;
    const { entry, index, invocation } = at;
    const { callId, toolName } = invocation;
    const question = { point, payload: invocation, callId, toolName, moment, recheck: false };
    this.#nest = nest;
    this.#index = index;
    this.#invocation = invocation;
    this.#ask = new Ask(run, entry, question);
    this.#clock = new WrapClock(run, entry.timeoutMs, () => this.#pass());
  }

  get failure(): 'closed' | 'open' {
    return this.#ask.entry.failure;
  }

  get lastGiven(): ToolResult | undefined {
    return this.#given.at(-1);
  }

  run(): Promise<ToolResult> {
    return new Promise((resolve) => {
      this.#resolve = resolve;
      this.#nest.began(this);
      this.#start();
    });
  }

  /** Cut off: whoever waits for it gets what the call ended with, and is not waited for. */
  abandon(result: ToolResult, reason: unknown): void {
    if (!this.#ask.isOver) this.#ask.interrupt(reason);
    this.#end(result);
  }

  recordCutOff(): void {
    const error = this.#ask.error('timed-out', {
      detail: 'the turn was cancelled while the hook ran',
    });
    recordFailure(this.#ask, error, { open: this.failure === 'open' });
  }

  #start(): void {
    let answer: unknown;
    let pending: boolean;
    try {
      answer = this.#ask.call(this.#invocation, this.#next);
      pending = isThenable(answer);
    } catch (cause) {
      this.#arrive({ error: this.#error('threw', { cause }) });
      return;
    }
    if (!pending) {
      const detail = 'the answer is no promise of a result';
      this.#arrive({ error: this.#error('illegal', { detail, fix: FIX }) });
      return;
    }
    this.#setClock();
    Promise.resolve(answer).then(
      (value) => (this.#isTooLate() ? this.#late(undefined) : this.#arrive({ value })),
      (cause: unknown) =>
        this.#isTooLate()
          ? this.#late(cause)
          : this.#arrive({ error: this.#error('threw', { cause }) }),
    );
  }

  /** A process that was held up may see the answer before it sees that the time is over. */
  #isTooLate(): boolean {
    if (!this.#isTaken && this.#clock.isDue) this.#pass();
    return this.#isTaken;
  }

  /** True when what it says can no longer count. */
  get #isTaken(): boolean {
    return this.#isOver || this.#arrived !== undefined;
  }

  /** What the policy calls to go on. */
  readonly #next = (given: ToolInvocation): Promise<ToolResult> => {
    const going = this.#goOn(given);
    // A policy may look away; that its call then fails is not for the process to die of.
    going.catch(() => undefined);
    return going;
  };

  async #goOn(given: ToolInvocation): Promise<ToolResult> {
    this.#refuseCall();
    this.#calls += 1;
    const judged = this.#judged(given);
    const invocation = isThenable(judged) ? await judged : judged;
    // Nothing is waited for from here to its start: a policy that ends meanwhile is told it did not run (N6).
    this.#refuseTaken();
    return this.#waitFor(async () => {
      const result = await this.#nest.open(this.#index + 1, invocation);
      // No policy takes for a result what is none (N8).
      if (result === SUSPENDED) throw new DOMException('the call waits for a person', 'AbortError');
      this.#given.push(result);
      return result;
    });
  }

  /** Lets the clock stand; a policy that has answered meanwhile has been waiting for this. */
  async #waitFor<Value>(call: () => PromiseLike<Value> | Value): Promise<Value> {
    this.#inside += 1;
    this.#setClock();
    try {
      return await call();
    } finally {
      this.#inside -= 1;
      this.#setClock();
      if (this.#arrived !== undefined && this.#inside === 0) this.#settle(this.#arrived);
    }
  }

  #refuseCall(): void {
    this.#refuseTaken();
    if (this.#nest.setting.run.cancelled) throw this.#ask.error('illegal', { detail: OVER });
    if (this.#calls > 0 && this.#invocation.sideEffects === 'once')
      throw this.#ask.error('illegal', {
        detail: TWICE,
        fix: 'Keep the result of the first `next`',
      });
  }

  /** The call to go on with, once another input has been checked and judged (N5). */
  #judged(given: ToolInvocation): MaybePromise<ToolInvocation> {
    if (given === this.#invocation) return given;
    const read = rewriteInvocation(this.#invocation, given);
    if ('problem' in read) throw this.#misfit(read.problem);
    return read.value === this.#invocation ? read.value : this.#judge(read.value);
  }

  async #judge(changed: ToolInvocation): Promise<ToolInvocation> {
    const { core } = this.#nest;
    let checked: Awaited<ReturnType<ToolCore['check']>>;
    try {
      checked = await core.check(changed.effectiveInput);
    } catch {
      // What a schema threw may quote the input, so it is not passed on.
      throw this.#misfit('the schema of the tool failed while it checked it');
    }
    this.#refuseTaken();
    if ('problem' in checked) throw this.#misfit(checked.problem);
    recordDecision(this.#ask, MODIFY);
    const invocation = Object.freeze({ ...changed, effectiveInput: checked.input });
    const verdict = await this.#waitFor(() => core.judge(invocation));
    this.#refuseTaken();
    const refusal = refusalOf(verdict, invocation.tier);
    if (refusal === undefined) return invocation;
    // Final, unless something ran before: it is not for a policy around the call to make up for it.
    if (!this.#nest.hasStarted) this.#nest.end(blocked(refusal));
    throw this.#ask.error('illegal', { detail: 'the changed input was refused', fix: REFUSED });
  }

  #refuseTaken(): void {
    if (this.#isTaken)
      throw this.#ask.error('illegal', { detail: OVER, fix: 'Await `next` before answering' });
  }

  /** A failure whatever the policy makes of the throw. */
  #misfit(problem: string): HookError {
    const detail = `\`next\` was given a call that does not fit: ${problem}`;
    const error = this.#error('invalid-rewrite', { detail });
    if (!this.#isTaken) this.#arrive({ error });
    return error;
  }

  /** What it started is waited for: nobody knows before what there is to tell (N6). */
  #arrive(arrived: Arrived): void {
    this.#arrived = arrived;
    this.#setClock();
    if (this.#inside === 0) this.#settle(arrived);
  }

  #settle(arrived: Arrived): void {
    if (this.#isOver) return;
    const { fault } = this.#ask;
    if ('error' in arrived) this.#fail(arrived.error);
    else if (fault !== undefined) this.#fail(fault);
    else this.#take(arrived.value);
  }

  #take(value: unknown): void {
    const result = this.#given.find((one) => one === value);
    const read = result === undefined ? readToolResult(value) : { result };
    const problem = 'problem' in read ? read.problem : this.#lie(read.result);
    if ('problem' in read || problem !== undefined) {
      this.#fail(this.#error('illegal', { detail: `the result ${problem}`, fix: FIX }));
      return;
    }
    this.#ask.end();
    this.#end(read.result);
  }

  /** What is wrong with an outcome that the engine knows better. */
  #lie({ outcome }: ToolResult): string | undefined {
    const { last } = this.#nest;
    const real = this.#given.length > 0 || last === undefined ? this.#given : [last];
    const isTrue =
      real.length === 0 ? outcome !== 'unknown' : real.some((one) => one.outcome === outcome);
    return isTrue ? undefined : 'has an `outcome` that is not what became of the call';
  }

  #pass(): void {
    this.#hasPassed = true;
    this.#arrive({ error: this.#error('timed-out') });
  }

  #fail(error: HookError): void {
    const open = this.failure === 'open';
    recordFailure(this.#ask, error, { open });
    this.#nest.failed(error);
    this.#ask.interrupt(error);
    const { last } = this.#nest;
    const given = this.lastGiven;
    if (!open) this.#end(last === undefined ? NOT_RUN : withheld(last));
    else if (given !== undefined) this.#end(given);
    else if (last !== undefined) this.#end(withheld(last));
    else this.#stepAside();
  }

  #stepAside(): void {
    this.#nest.open(this.#index + 1, this.#invocation).then(
      (result) => this.#end(result),
      // A part of the engine broke, with which the whole call has failed.
      () => this.#nest.ended(this),
    );
  }

  #end(result: ToolResult): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#clock.turn(false);
    this.#nest.ended(this);
    this.#resolve?.(result);
  }

  /** Records what came after its time; what it says after a cancel was cut off as a whole. */
  #late(cause: unknown): void {
    if (!this.#hasPassed) return;
    this.#ask.late(
      cause === undefined ? { type: 'answered', value: undefined } : { type: 'rejected', cause },
      'timed-out',
    );
  }

  #error(kind: HookFailureKind, facts?: FailureFacts): HookError {
    return this.#ask.fault ?? this.#ask.error(kind, facts);
  }

  #setClock(): void {
    this.#clock.turn(!this.#isTaken && this.#inside === 0);
  }
}

const REFUSED = 'See `hook.decided` and `hook.failed` at preToolUse for who refused it';
const MODIFY = Object.freeze({ type: 'modify' });
const OVER = '`next` was called when the call was over';
const TWICE = '`next` was called again for a tool that must not run twice';
const FIX =
  'Write `async wrapToolUse(invocation, next, ctx)` and return a ToolResult, such as `{ ...result, output }`';
