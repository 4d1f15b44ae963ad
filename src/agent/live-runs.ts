import type { CancelScope } from '../internal/cancel-scope.ts';
import { ending } from '../internal/later.ts';
import type { RunResult } from '../loop/result.ts';

interface LiveRun {
  readonly cancel: CancelScope;
  readonly result: Promise<RunResult>;
}

/** The runs of one agent: those that hold their thread, of which there is one a thread, and those that ask for theirs. */
export class LiveRuns {
  readonly #live = new Map<string, LiveRun>();
  readonly #claiming = new Map<string, number>();
  readonly #waiting = new Map<string, (() => void)[]>();

  /** Only the run that holds the thread can be cancelled through it. */
  of(threadId: string): LiveRun | undefined {
    return this.#live.get(threadId);
  }

  /** Nothing where no run asks for the thread; else when the next of them has it, or does not get it. */
  claimed(threadId: string): Promise<void> | undefined {
    if (!this.#claiming.has(threadId)) return undefined;
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(threadId) ?? [];
      waiting.push(resolve);
      this.#waiting.set(threadId, waiting);
    });
  }

  /** Counts a run that waits for its turn among those that ask for the thread, until it `hasWaited`. */
  waits(threadId: string): void {
    this.#ask(threadId);
  }

  /** Said when it has begun, which asks for the thread itself, or cannot. */
  hasWaited(threadId: string): void {
    this.#decided(threadId);
  }

  /** Begins a run that tells when it has its thread. */
  begin(
    threadId: string,
    cancel: CancelScope,
    run: (onClaimed: () => void) => Promise<RunResult>,
  ): Promise<RunResult> {
    let live: LiveRun | undefined;
    let isClaiming = true;
    const decided = (): void => {
      if (isClaiming) this.#decided(threadId);
      isClaiming = false;
    };
    this.#ask(threadId);
    const running = run(() => {
      // It is told of later than the run has begun.
      if (live !== undefined) this.#live.set(threadId, live);
      decided();
    });
    const result = ending(running, () => {
      if (this.#live.get(threadId) === live) this.#live.delete(threadId);
      decided();
    });
    live = { cancel, result };
    return result;
  }

  #ask(threadId: string): void {
    this.#claiming.set(threadId, (this.#claiming.get(threadId) ?? 0) + 1);
  }

  #decided(threadId: string): void {
    const left = (this.#claiming.get(threadId) ?? 1) - 1;
    if (left === 0) this.#claiming.delete(threadId);
    else this.#claiming.set(threadId, left);
    const waiting = this.#waiting.get(threadId);
    this.#waiting.delete(threadId);
    for (const wake of waiting ?? []) wake();
  }
}
