import type { Limited } from './deadlines.ts';
import type { HookRun, Interruptible } from './hook-run.ts';

/**
 * The time limit of a policy around a call. It runs while the policy works, and stands while the policy waits for
 * the call or nobody waits for the policy.
 */
export class WrapClock implements Limited, Interruptible {
  readonly #run: HookRun;
  readonly #onPassed: () => void;
  #leftMs: number;
  #since: number | undefined;

  constructor(run: HookRun, timeoutMs: number, onPassed: () => void) {
    this.#run = run;
    this.#leftMs = timeoutMs;
    this.#onPassed = onPassed;
  }

  /** True when its time is over and a process that was held up has not seen it yet. */
  get isDue(): boolean {
    return this.#since !== undefined && this.#run.ports.now() - this.#since > this.#leftMs;
  }

  /** Sets whether it runs. Being told twice changes nothing. */
  turn(isOn: boolean): void {
    if (isOn === (this.#since !== undefined)) return;
    const now = this.#run.ports.now();
    if (isOn) {
      this.#since = now;
      this.#run.enter(this, this.#leftMs, now);
    } else {
      this.#run.leave(this);
      this.#leftMs -= now - (this.#since ?? now);
      this.#since = undefined;
    }
  }

  passed(): void {
    this.#since = undefined;
    this.#onPassed();
  }

  /** Whoever owns the clock hears of the cancel too, and decides what it means. */
  interrupt(): void {
    this.#since = undefined;
  }
}
