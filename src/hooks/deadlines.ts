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
export class Deadlines<Item extends Limited = Limited> {
  readonly #now: () => number;
  /** Two lists side by side: a chain waits for one policy at a time, so looking one up costs less than a map. */
  #live: Item[] = [];
  #times: number[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #armedFor = Number.POSITIVE_INFINITY;
  #closed = false;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Whose limits have not passed, as of now. */
  get live(): readonly Item[] {
    return [...this.#live];
  }

  /** `since`: when its time began. Default: now. */
  add(item: Item, timeoutMs: number, since: number = this.#now()): void {
    if (this.#closed) return;
    const at = since + timeoutMs;
    this.#live.push(item);
    this.#times.push(at);
    if (at < this.#armedFor) this.#arm(at);
  }

  /** False when it was not there. */
  cancel(item: Item): boolean {
    const index = this.#live.lastIndexOf(item);
    if (index === -1) return false;
    if (index === this.#live.length - 1) {
      this.#live.pop();
      this.#times.pop();
    } else {
      this.#live.splice(index, 1);
      this.#times.splice(index, 1);
    }
    return true;
  }

  /** Forgets every limit without telling anyone. Nothing can be added any more. */
  close(): void {
    this.#closed = true;
    this.#live = [];
    this.#times = [];
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
    // One that fires late finds more due than that, whose answers must not be taken because they are due as well.
    const now = Math.max(this.#armedFor, this.#now());
    this.#armedFor = Number.POSITIVE_INFINITY;
    const due = this.#live.filter((_, index) => (this.#times[index] ?? now) <= now);
    for (const item of due) if (this.cancel(item)) item.passed();
    const next = this.#times.reduce((first, at) => Math.min(first, at), Number.POSITIVE_INFINITY);
    if (next < this.#armedFor) this.#arm(next);
  };
}
