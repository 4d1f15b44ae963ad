/** How many runs of an agent may be under way before the next one waits. */
const CROWD = 16;

/** How many before only every second turn of the event loop begins one. */
const FULL = 20;

/** Milliseconds from which on a turn is long: what begins after it is not held back for another. */
const LONG_TURN_MS = 4;

/** For how many that wait one more begins at a time. */
const MANY = 1024;

/** Whoever begins runs. */
interface Beginner<Run, Result> {
  /** One that throws at once has not begun. */
  begin(run: Run): Promise<Result>;
  /** Told of one that has to wait for its turn. */
  waits(run: Run): void;
  /** Told of one that has waited, when it has begun or cannot. */
  hasWaited(run: Run): void;
}

/**
 * Lets runs begin. A few begin at once; in a crowd one begins in each turn of the event loop, or in each second one, and
 * those before it get on in between: a burst neither holds the process up nor needs the memory of all its runs at the
 * same time. What waits for a model or a service leaves the event loop free, and its turns short.
 */
export class Crowd<Run, Result> {
  readonly #beginner: Beginner<Run, Result>;
  #underWay = 0;
  #waiting: (() => void)[] = [];
  #isHeldBack = false;
  #turnAt = 0;

  constructor(beginner: Beginner<Run, Result>) {
    this.#beginner = beginner;
  }

  /** Begins at once, or when it is its turn. */
  begin(run: Run): Promise<Result> {
    if (this.#underWay < CROWD && this.#waiting.length === 0) return this.#run(run);
    this.#beginner.waits(run);
    if (this.#waiting.length === 0) this.#nextTurn();
    const turn = new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
    });
    // What follows a promise runs in the async context of whoever asked for it, and not of whoever was before.
    return turn.then(() => this.#beginWaiting(run));
  }

  #run(run: Run): Promise<Result> {
    const running = this.#beginner.begin(run);
    this.#underWay += 1;
    void running.then(this.#ended, this.#ended);
    return running;
  }

  readonly #ended = (): void => {
    this.#underWay -= 1;
  };

  #nextTurn(): void {
    this.#turnAt = performance.now();
    setImmediate(this.#admit);
  }

  readonly #admit = (): void => {
    const isLong = performance.now() - this.#turnAt >= LONG_TURN_MS;
    this.#isHeldBack = !this.#isHeldBack && !isLong && this.#underWay >= FULL;
    if (this.#isHeldBack) {
      this.#nextTurn();
      return;
    }
    const admitted = this.#waiting.splice(0, 1 + Math.floor(this.#waiting.length / MANY));
    if (this.#waiting.length > 0) this.#nextTurn();
    for (const resolve of admitted) resolve();
  };

  #beginWaiting(run: Run): Promise<Result> {
    try {
      return this.#run(run);
    } finally {
      this.#beginner.hasWaited(run);
    }
  }
}
