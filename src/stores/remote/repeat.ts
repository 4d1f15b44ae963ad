import { DeadlineError } from './with-deadline.ts';

export interface Repeat<T> {
  /** How long all attempts may take together, in milliseconds. */
  readonly timeoutMs: number;
  /** One attempt, which is given the time that is left. It does the same however often it is repeated. */
  readonly attempt: (leftMs: number) => Promise<T>;
  /** Whether another attempt may succeed where this one failed. */
  readonly mayPass: (error: unknown) => boolean;
}

const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 500;

/** Repeats what a broken connection, a restart or a lost race got in the way of, until the time is over; then its last failure is thrown. */
export async function repeat<T>({ timeoutMs, attempt, mayPass }: Repeat<T>): Promise<T> {
  const until = performance.now() + timeoutMs;
  let last: unknown;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const leftMs = until - performance.now();
    if (leftMs <= 0) throw last;
    try {
      return await attempt(leftMs);
    } catch (error) {
      // What broke earlier says more than that no time was left afterwards.
      if (last !== undefined && isDeadline(error)) throw last;
      if (!mayPass(error)) throw error;
      last = error;
    }
    const pause = Math.min(pauseMs, until - performance.now());
    if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

/**
 * How long a server has to know what was done, in milliseconds, where a request may take `timeoutMs`: whoever repeats
 * it has given up by then, also one whose process stood still for a while.
 */
export function keepMs(timeoutMs: number): number {
  return 2 * timeoutMs + 600_000;
}

function isDeadline(error: unknown): boolean {
  return error instanceof DeadlineError || (error instanceof Error && isDeadline(error.cause));
}
