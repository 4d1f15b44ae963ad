import type { Limited } from './deadlines.ts';
import type { HookRun, Interruptible } from './hook-run.ts';

/** What became of something that was waited for. */
export type Outcome =
  | { readonly type: 'answered'; readonly value: unknown }
  | { readonly type: 'rejected'; readonly cause: unknown }
  | { readonly type: 'timed-out' }
  | { readonly type: 'cancelled' };

/** Who waits, and is told when the wait is over before its answer came. */
export interface Waiter extends Limited, Interruptible {
  readonly run: HookRun;
  readonly timeoutMs: number;
  /** An answer or a rejection that nobody waits for any more. */
  late(outcome: Outcome, endedBy: 'timed-out' | 'cancelled'): void;
}

/**
 * Waits for a thenable until it settles, its time is over, or the run is cancelled, whichever is first. Never
 * rejects, and takes whatever comes later, so that a late rejection is never an unhandled one.
 */
export function waitFor(waiter: Waiter, thenable: PromiseLike<unknown>): Promise<Outcome> {
  return new Promise((resolve) => new Wait(waiter, resolve).start(thenable));
}

class Wait implements Limited, Interruptible {
  readonly #waiter: Waiter;
  readonly #resolve: (outcome: Outcome) => void;
  #answered = false;
  #endedBy: 'answer' | 'timed-out' | 'cancelled' | undefined;

  constructor(waiter: Waiter, resolve: (outcome: Outcome) => void) {
    this.#waiter = waiter;
    this.#resolve = resolve;
  }

  start(thenable: PromiseLike<unknown>): void {
    const { run, timeoutMs } = this.#waiter;
    if (!run.enter(this, timeoutMs)) this.interrupt(run.ports.cancel.reason);
    try {
      // A foreign thenable is adopted: it may call back twice, throw, or answer with another thenable.
      Promise.resolve(thenable).then(
        (value) => this.#settle({ type: 'answered', value }),
        (cause) => this.#settle({ type: 'rejected', cause }),
      );
    } catch (cause) {
      this.#settle({ type: 'rejected', cause });
    }
  }

  passed(): void {
    if (this.#end('timed-out')) this.#waiter.passed();
  }

  interrupt(reason: unknown): void {
    if (this.#end('cancelled')) this.#waiter.interrupt(reason);
  }

  #end(type: 'timed-out' | 'cancelled'): boolean {
    if (this.#endedBy !== undefined) return false;
    this.#endedBy = type;
    this.#waiter.run.leave(this);
    this.#resolve({ type });
    return true;
  }

  #settle(outcome: Outcome): void {
    if (this.#answered) return;
    this.#answered = true;
    if (this.#endedBy === undefined) {
      this.#endedBy = 'answer';
      this.#waiter.run.leave(this);
      this.#resolve(outcome);
    } else if (this.#endedBy !== 'answer') {
      this.#waiter.late(outcome, this.#endedBy);
    }
  }
}
