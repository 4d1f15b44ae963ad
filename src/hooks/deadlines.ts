/** Something that is told when its time is over. */
export interface Limited {
  /** Called once, unless `cancel` came first. Must not throw. */
  passed(): void;
}

/**
 * The time limits of one run, on one timer. Nothing is armed before the first `add`, and a cancelled limit
 * leaves the timer as it is: when it fires it looks what is due, and is armed again only for what is left.
 * The timer holds the process, so that the limit of a hook that hangs passes even when nothing else is on
 * the event loop; `close` takes it off.
 */
export class Deadlines {
  readonly #now: () => number;
  readonly #live = new Map<Limited, number>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #armedFor = Number.POSITIVE_INFINITY;
  #closed = false;

  constructor(now: () => number) {
    this.#now = now;
  }

  add(limited: Limited, timeoutMs: number): void {
    if (this.#closed) return;
    const at = this.#now() + timeoutMs;
    this.#live.set(limited, at);
    if (at < this.#armedFor) this.#arm(at);
  }

  cancel(limited: Limited): void {
    this.#live.delete(limited);
  }

  /** Forgets every limit without telling anyone. Nothing can be added any more. */
  close(): void {
    this.#closed = true;
    this.#live.clear();
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #arm(at: number): void {
    clearTimeout(this.#timer);
    this.#armedFor = at;
    this.#timer = setTimeout(this.#fire, Math.max(1, Math.ceil(at - this.#now())));
  }

  readonly #fire = (): void => {
    // What the timer was armed for is due, whatever the clock says: a clock that stands still must not hold a limit.
    const due = this.#armedFor;
    this.#armedFor = Number.POSITIVE_INFINITY;
    let next = Number.POSITIVE_INFINITY;
    for (const [limited, at] of this.#live) {
      if (at > due) {
        next = Math.min(next, at);
        continue;
      }
      this.#live.delete(limited);
      limited.passed();
    }
    if (next < this.#armedFor && !this.#closed) this.#arm(next);
  };
}
