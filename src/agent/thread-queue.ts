import { setTimeout as sleep } from 'node:timers/promises';
import { ThreadBusyError } from '../errors/store-error.ts';

/** Milliseconds between two looks at a thread that somebody else holds: short at first, then longer. */
const FIRST_LOOK_MS = 10;
const LONGEST_WAIT_MS = 250;

/** What a run that waits is given up with: its caller's signal was aborted before it began. */
export const GIVEN_UP: unique symbol = Symbol('given up');

/**
 * Lets the runs of one agent on a thread follow each other in the order they came. A thread that somebody else
 * holds (another agent, another process) is looked at again until it is free: its claim ends or runs out.
 */
export class ThreadQueue {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Begins when those before have ended, whatever became of them. */
  follow<Result>(
    threadId: string,
    begin: () => Promise<Result>,
    signal: AbortSignal | undefined,
  ): Promise<Result | typeof GIVEN_UP> {
    const before = this.#last.get(threadId);
    const running =
      before === undefined
        ? beginWhenFree(begin, signal)
        : until(before, signal).then(() => beginWhenFree(begin, signal));
    // One that is given up lets nobody pass those before it.
    const ended = Promise.allSettled([before, running]);
    this.#last.set(threadId, ended);
    void ended.then(() => {
      if (this.#last.get(threadId) === ended) this.#last.delete(threadId);
    });
    return running;
  }
}

/** Resolves when it has ended, or nobody waits for it any more. */
function until(before: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
  return new Promise<void>((resolve) => {
    const go = (): void => {
      signal?.removeEventListener('abort', go);
      resolve();
    };
    // One that was given up before it came is not told of it again.
    if (signal?.aborted === true) return resolve();
    signal?.addEventListener('abort', go);
    void before.then(go);
  });
}

async function beginWhenFree<Result>(
  begin: () => Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result | typeof GIVEN_UP> {
  for (let wait = FIRST_LOOK_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    if (signal?.aborted === true) return GIVEN_UP;
    try {
      return await begin();
    } catch (error) {
      // A run that finds its thread held has done nothing, so beginning it again is no repetition.
      if (!ThreadBusyError.isInstance(error)) throw error;
    }
    await sleep(wait, undefined, signal === undefined ? {} : { signal }).catch(nothing);
  }
}

function nothing(): void {}
