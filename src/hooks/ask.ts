import { HookError, type HookFailureKind } from '../errors/hook-error.ts';
import { isThenable } from '../internal/is-thenable.ts';
import type { HookEntry, Move } from './entry.ts';
import type { HookCancelled, HookFailed } from './gate.ts';
import { type ContextSource, hookContext } from './hook-context.ts';
import type { HookRun } from './hook-run.ts';
import { NOT_ASKED } from './limit-call.ts';
import { type Question, recordDecision, recordFailure } from './record.ts';
import { aboutThrown } from './thrown-decision.ts';
import { type Outcome, Wait, type Waiter } from './wait.ts';

/** What came of it; `undefined` is no opinion. */
export type Asked = { readonly decision: Move } | HookFailed | HookCancelled | undefined;

/** What the record calls the answer of a policy on trial that returned nothing. */
const NO_OPINION: Move = Object.freeze({ type: 'none' });

/** How a failure is told apart, and what caused it. */
export interface FailureFacts {
  readonly cause?: unknown;
  readonly detail?: string;
  readonly fix?: string;
}

export const CANCELLED: HookCancelled = Object.freeze({ type: 'cancelled' });

/**
 * One policy, asked once. A synchronous answer makes no promise, timer or signal. Whatever is not a legal
 * decision of the point is a failure, and what comes after the limit or a cancel is recorded and dropped.
 */
export class Ask implements ContextSource, Waiter {
  readonly run: HookRun;
  readonly entry: HookEntry;
  readonly question: Question;
  /** Milliseconds from the question to a decision. */
  durationMs = 0;
  /** A misuse of the context. It counts even when the policy caught what was thrown. */
  fault: HookError | undefined;
  hasWritten = false;
  #startedAt = 0;
  #over = false;
  #interrupted: { readonly reason: unknown } | undefined;
  #controller: AbortController | undefined;

  constructor(run: HookRun, entry: HookEntry, question: Question) {
    this.run = run;
    this.entry = entry;
    this.question = question;
  }

  get timeoutMs(): number {
    return this.entry.timeoutMs;
  }

  /** True once nothing this hook does can count any more. */
  get isOver(): boolean {
    return this.#over;
  }

  /** Aborted on the limit and on cancel. Made when first read. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      const { run } = this;
      if (this.#interrupted !== undefined) this.#controller.abort(this.#interrupted.reason);
      else if (run.cancelled) this.#controller.abort(run.ports.cancel.reason);
      else run.track(this);
    }
    return this.#controller.signal;
  }

  /**
   * Asks. `evenIfCancelled` is for what is recorded in any case: a synchronous answer then counts after a
   * cancel, while a hook that takes its time is still cut off. What came of a wait is for `finish`.
   */
  start(evenIfCancelled: boolean): Asked | Wait<Ask> {
    const { run, question } = this;
    if (run.cancelled && !evenIfCancelled) return CANCELLED;
    const { start = run.ports.now } = run.ports;
    this.#startedAt = start();
    let value: unknown;
    let pending: boolean;
    try {
      value = this.call(question.payload, question.result);
      pending = isThenable(value);
    } catch (cause) {
      run.ports.passTime?.();
      return this.#fail('threw', { cause });
    }
    if (pending) {
      run.ports.passTime?.();
      return new Wait<Ask>(this, value as PromiseLike<unknown>, this.#startedAt);
    }
    if (value === undefined && !this.entry.shadow) run.ports.passTime?.();
    else this.durationMs = run.ports.now() - this.#startedAt;
    return run.cancelled && !evenIfCancelled ? this.#end(CANCELLED) : this.#read(value);
  }

  /** Goes on where `start` began to wait. */
  finish(outcome: Outcome, evenIfCancelled: boolean): Asked {
    this.durationMs = this.run.ports.now() - this.#startedAt;
    if (this.run.cancelled && !evenIfCancelled) return this.#end(CANCELLED);
    // A process that was held up may see the answer before it sees that the time is over.
    const isDue = this.durationMs > this.timeoutMs;
    if (isDue && (outcome.type === 'answered' || outcome.type === 'rejected')) {
      this.passed();
      this.late(outcome, 'timed-out');
      return this.#fail('timed-out');
    }
    switch (outcome.type) {
      case 'answered':
        return this.#read(outcome.value);
      case 'rejected':
        return this.#fail('threw', { cause: outcome.cause });
      case 'timed-out':
        return this.#fail('timed-out');
      case 'cancelled':
        return this.#end(CANCELLED);
    }
  }

  /** Calls the hook, which may throw. */
  call(payload: unknown, result: unknown): unknown {
    const { call } = this.entry;
    const context = hookContext(this);
    return result === undefined ? call(payload, context) : call(payload, result, context);
  }

  /** Waits for something else on behalf of this policy, such as the check of its rewrite. */
  wait(thenable: PromiseLike<unknown>): Wait<Ask> {
    return new Wait<Ask>(this, thenable, this.run.ports.now());
  }

  error(kind: HookFailureKind, facts: FailureFacts = {}): HookError {
    const { cause, ...text } = facts;
    const { policy, timeoutMs } = this.entry;
    const thrown = kind === 'threw' ? aboutThrown(cause) : undefined;
    return new HookError(
      { policy, point: this.question.point, kind, timeoutMs, ...thrown, ...text },
      cause === undefined ? undefined : { cause },
    );
  }

  end(): void {
    this.#over = true;
    this.settleMemory(this.fault === undefined);
  }

  /** Whether what the hook wrote to its memory counts. Said once; what is written later is refused. */
  settleMemory(counts: boolean): void {
    if (!this.hasWritten) return;
    this.hasWritten = false;
    const { policy } = this.entry;
    this.run.draftsOf(policy).settle(policy, this, counts);
  }

  passed(): void {
    this.interrupt(this.error('timed-out'));
  }

  interrupt(reason: unknown): void {
    this.#over = true;
    this.settleMemory(false);
    this.#interrupted ??= { reason };
    this.#controller?.abort(reason);
  }

  late(outcome: Outcome, endedBy: 'timed-out' | 'cancelled'): void {
    const error =
      outcome.type === 'rejected'
        ? this.error('threw', { cause: outcome.cause })
        : this.error('timed-out');
    recordFailure(this, error, {
      open: endedBy === 'timed-out' && this.entry.failure === 'open',
      late: true,
    });
  }

  #read(value: unknown): Asked {
    const { entry } = this;
    if (this.fault !== undefined) return this.#end({ type: 'failed', error: this.fault });
    if (value === undefined) {
      if (entry.mustDecide) return this.#fail('undecided');
      // What a policy on trial would let through is half of what its trial is for.
      if (entry.shadow && this.question.isNews === undefined) recordDecision(this, NO_OPINION);
      return this.#end(undefined);
    }
    if (value === NOT_ASKED) return this.#end(undefined);
    let read: ReturnType<NonNullable<HookEntry['codec']>['read']>;
    try {
      read = entry.codec?.read(value) ?? { problem: 'is a value where none is asked for' };
    } catch (cause) {
      return this.#fail('illegal', { cause });
    }
    const problem = 'problem' in read ? read.problem : this.question.misfit?.(read.decision);
    if (problem !== undefined || 'problem' in read)
      return this.#fail('illegal', { detail: `the answer ${problem}` });
    if (read.decision.type === 'requires-confirmation' && entry.namedBy === 'position') {
      return this.#fail('illegal', {
        detail:
          'a policy without a `name` asked for an approval, which is recorded under that name',
        fix: 'Give the policy a `name`',
      });
    }
    return this.#end(read);
  }

  #fail(kind: HookFailureKind, facts?: FailureFacts): HookFailed {
    this.#over = true;
    return { type: 'failed', error: this.fault ?? this.error(kind, facts) };
  }

  #end<T extends Asked>(asked: T): T {
    this.#over = true;
    // Of a rewrite it is not known yet whether it fits: the chain says so, as it does of a failure.
    const isOpen = asked !== undefined && 'decision' in asked && asked.decision.type === 'modify';
    if (!isOpen) this.settleMemory(asked === undefined || 'decision' in asked);
    return asked;
  }
}
