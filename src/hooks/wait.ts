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
 * Waits for a thenable until it settles, its time is over, or the run is cancelled, whichever is first. Takes
 * whatever comes later, so that a late rejection is never an unhandled one.
 */
export class Wait<By extends Waiter = Waiter> implements Limited, Interruptible {
  readonly by: By;
  #endedBy: 'answer' | 'timed-out' | 'cancelled' | undefined;
  #tell: ((outcome: Outcome, by: By) => void) | undefined;

  /** `since`: when the time of the waiter began, on the clock of the run. */
  constructor(by: By, thenable: PromiseLike<unknown>, since: number) {
    this.by = by;
    if (!by.run.enter(this, by.timeoutMs, since)) this.interrupt(by.run.ports.cancel.reason);
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

  /** Tells what became of it, once and never at once. Asked for as soon as the wait is made. */
  whenOver(tell: (outcome: Outcome, by: By) => void): void {
    this.#tell = tell;
  }

  passed(): void {
    if (this.#end('timed-out')) this.by.passed();
  }

  interrupt(reason: unknown): void {
    if (this.#end('cancelled')) this.by.interrupt(reason);
  }

  #end(type: 'timed-out' | 'cancelled'): boolean {
    if (this.#endedBy !== undefined) return false;
    this.#endedBy = type;
    this.by.run.leave(this);
    // Not at once: whoever cancels runs no chain.
    void NOW.then(() => this.#tell?.({ type }, this.by));
    return true;
  }

  #settle(outcome: Outcome): void {
    const endedBy = this.#endedBy;
    this.#endedBy = 'answer';
    if (endedBy === undefined) {
      this.by.run.leave(this);
      if (this.#tell !== undefined) this.#tell(outcome, this.by);
      // A promise whose `then` is another one may call back before anybody has asked to be told.
      else void NOW.then(() => this.#tell?.(outcome, this.by));
    } else if (endedBy !== 'answer') {
      this.by.late(outcome, endedBy);
    }
  }
}

const NOW = Promise.resolve();
