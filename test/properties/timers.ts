import { AsyncLocalStorage } from 'node:async_hooks';

const real = {
  setTimeout: globalThis.setTimeout,
  setInterval: globalThis.setInterval,
  clearTimeout: globalThis.clearTimeout,
  clearInterval: globalThis.clearInterval,
};

/** What the code under test has armed and not taken back, per process. */
const armed = new AsyncLocalStorage<Set<unknown>>();
const owners = new WeakMap<object, Set<unknown>>();

/** Runs something, and says which of the timers it made are still armed. */
export function watchTimers<Result>(run: () => Result): { result: Result; left: () => number } {
  const timers = new Set<unknown>();
  return { result: armed.run(timers, run), left: () => timers.size };
}

/** Counts timers from now on; the returned function puts the real ones back. */
export function installTimers(): () => void {
  const replacement = {
    setTimeout: (call: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) => {
      const timers = armed.getStore();
      const timer = real.setTimeout(() => {
        timers?.delete(timer);
        call(...args);
      }, ms);
      own(timer);
      return timer;
    },
    setInterval: (...args: Parameters<typeof setInterval>) => {
      const timer = real.setInterval(...args);
      own(timer);
      return timer;
    },
    clearTimeout: (timer: NodeJS.Timeout | undefined) => clear(timer),
    clearInterval: (timer: NodeJS.Timeout | undefined) => clear(timer),
  };
  Object.assign(globalThis, replacement);
  return () => void Object.assign(globalThis, real);
}

function own(timer: NodeJS.Timeout): void {
  const timers = armed.getStore();
  if (timers === undefined) return;
  timers.add(timer);
  owners.set(timer, timers);
}

/** Whoever takes a timer back need not be in the process that made it. */
function clear(timer: NodeJS.Timeout | undefined): void {
  if (timer !== undefined) owners.get(timer)?.delete(timer);
  real.clearTimeout(timer);
}

/** A pause of the test itself, which nobody counts. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => real.setTimeout(resolve, ms));
}

/** What came of a promise, or `'hangs'` when it has not settled in time. */
export async function within<Value>(promise: Promise<Value>, ms: number): Promise<Value | 'hangs'> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'hangs'>((resolve) => {
    timer = real.setTimeout(() => resolve('hangs'), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    real.clearTimeout(timer);
  }
}

/** Lets everything that is due happen, unhandled rejections included. */
export async function settle(): Promise<void> {
  for (let round = 0; round < 2; round += 1) await new Promise((resolve) => setImmediate(resolve));
}
