import { ending } from '../internal/later.ts';

/** How many runs of an agent may be under way before the next one waits. */
const CROWD = 16;

/** For how many that wait one more begins at a time. */
const MANY = 1024;

/**
 * Lets runs begin. A few begin at once; in a crowd one begins in each turn of the event loop, and those before it get on
 * in between: a burst neither holds the process up nor needs the memory of all its runs at the same time. What waits for a
 * model or a service leaves the event loop free, and its turns short.
 */
export class Crowd {
  #underWay = 0;
  #waiting: (() => void)[] = [];

  /** Begins at once, or when it is its turn. `onWait`: called where it has to wait; what it gives is called when it has begun. */
  begin<Result>(run: () => Promise<Result>, onWait: () => () => void): Promise<Result> {
    if (this.#underWay < CROWD && this.#waiting.length === 0) return this.#run(run);
    const onBegun = onWait();
    return this.#turn().then(() => {
      try {
        return this.#run(run);
      } finally {
        onBegun();
      }
    });
  }

  #run<Result>(run: () => Promise<Result>): Promise<Result> {
    // One that throws at once has not begun.
    const running = run();
    this.#underWay += 1;
    return ending(running, () => {
      this.#underWay -= 1;
    });
  }

  #turn(): Promise<void> {
    if (this.#waiting.length === 0) setImmediate(this.#admit);
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  readonly #admit = (): void => {
    const admitted = this.#waiting.splice(0, 1 + Math.floor(this.#waiting.length / MANY));
    if (this.#waiting.length > 0) setImmediate(this.#admit);
    for (const resolve of admitted) resolve();
  };
}
