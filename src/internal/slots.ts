/** Gives what was taken back. Does nothing the second time. */
export type Release = () => void;

/**
 * So many at a time; the others wait in the order in which they came. Not p-limit: what is queued there cannot leave
 * again, and behind a call that hangs every cancelled one would stay in memory. Its members are open to all of this file,
 * since those of a tool and those of an agent may come from two builds of this package.
 */
export class Slots {
  free: number;
  /**
   * Who waits, in one line for each other limit that they need as well: whoever cannot go yet holds up only those who
   * need the same. At rest, none at the head of a line could go.
   */
  readonly lines: Map<Slots | undefined, Set<Waiter>> = new Map();

  constructor(count: number) {
    this.free = count;
  }

  /** A slot that is free now; nothing while others have them all. */
  takeFree(): Release | undefined {
    return takeFree([this]);
  }

  /** As `waitFor` does. */
  wait(onTurn: (release: Release) => void): () => void {
    return waitFor([this], onTurn);
  }

  /** Rejects with the reason of the signal when that comes before the slot, which then goes to the next one. */
  take(signal: AbortSignal): Promise<Release> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const free = this.takeFree();
      if (free !== undefined) return resolve(free);
      const onAbort = (): void => {
        leave();
        reject(signal.reason);
      };
      const leave = this.wait((release) => {
        signal.removeEventListener('abort', onAbort);
        resolve(release);
      });
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }
}

/** A slot of each limit, or of none. Overtakes nobody who could go. */
export function takeFree(limits: readonly Slots[]): Release | undefined {
  if (!limits.every(hasFree)) return undefined;
  for (const limit of limits) limit.free -= 1;
  return releaseOf(limits);
}

/**
 * For who has just found that not all are free: calls back with a slot of each when it is its turn, and not before this
 * has returned. What it gives leaves the queue.
 *
 * Nothing is held while something is missing, so nobody is kept from a limit by those who wait for another. But for one
 * thing, or others could pass it for ever: whoever could not take its turn at the last of its limits keeps the next slot
 * of the first until a turn of the last comes round, one of each line at a time.
 *
 * So the limits go from the outside in, an agent's before its tool's: who keeps one waits for what is further in, as does
 * what a running tool begins, and no two can wait for each other.
 */
export function waitFor(limits: readonly Slots[], onTurn: (release: Release) => void): () => void {
  const waiter = new Waiter(limits, onTurn);
  return () => waiter.leave();
}

class Waiter {
  readonly since: number = performance.now();
  readonly #limits: readonly Slots[];
  readonly #onTurn: (release: Release) => void;
  readonly #held: Slots[] = [];
  #missing: readonly Slots[];
  #hasMissedTurn = false;

  constructor(limits: readonly Slots[], onTurn: (release: Release) => void) {
    this.#limits = limits;
    this.#missing = limits;
    this.#onTurn = onTurn;
    for (const limit of limits) {
      const line = this.#lineAt(limit) ?? new Set();
      limit.lines.set(this.#besides(limit), line.add(this));
      if (line.size === 1 && limit.free > 0) this.canGo(limit);
    }
  }

  /** Asked at the head of a line, of a limit that has a free slot. */
  canGo(at: Slots): boolean {
    if (this.#missing.every(hasFree)) return true;
    if (at === this.#limits[0]) return this.#hasMissedTurn;
    this.#hasMissedTurn = true;
    return false;
  }

  /** Takes all that it misses, or else the first. */
  go(): void {
    const taken = this.#missing.every(hasFree) ? this.#missing : this.#missing.slice(0, 1);
    for (const limit of taken) {
      limit.free -= 1;
      this.#held.push(limit);
      this.#leaveLine(limit);
    }
    this.#missing = this.#missing.filter((limit) => !taken.includes(limit));
    if (this.#missing.length === 0) this.#onTurn(releaseOf(this.#held));
  }

  leave(): void {
    if (this.#missing.length === 0) return;
    for (const limit of this.#missing) this.#leaveLine(limit);
    this.#missing = [];
    giveBack(this.#held);
  }

  #leaveLine(limit: Slots): void {
    const line = this.#lineAt(limit);
    line?.delete(this);
    if (line?.size === 0) limit.lines.delete(this.#besides(limit));
  }

  #lineAt(limit: Slots): Set<Waiter> | undefined {
    return limit.lines.get(this.#besides(limit));
  }

  #besides(limit: Slots): Slots | undefined {
    return this.#limits.find((one) => one !== limit);
  }
}

function hasFree({ free }: Slots): boolean {
  return free > 0;
}

function releaseOf(limits: readonly Slots[]): Release {
  let isHeld = true;
  return () => {
    if (!isHeld) return;
    isHeld = false;
    giveBack(limits);
  };
}

/** All of them before anybody's turn: who needs both must not miss the one for the other. */
function giveBack(limits: readonly Slots[]): void {
  for (const limit of limits) limit.free += 1;
  for (let next = nextOf(limits); next !== undefined; next = nextOf(limits)) next.go();
}

/** Whoever has waited longest of those who can go. */
function nextOf(limits: readonly Slots[]): Waiter | undefined {
  let next: Waiter | undefined;
  for (const limit of limits) {
    if (limit.free === 0) continue;
    for (const [head] of limit.lines.values())
      if (head?.canGo(limit) === true && (next === undefined || head.since < next.since))
        next = head;
  }
  return next;
}
