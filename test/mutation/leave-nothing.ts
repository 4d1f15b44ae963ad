import { afterAll, beforeAll, vi } from 'vitest';

const GLOBALS = ['setTimeout', 'clearTimeout', 'AbortController'] as const;
const theirs = Object.fromEntries(GLOBALS.map((name) => [name, globalThis[name]]));

// The files share one thread here, as nowhere else. A spy on a fake timer that is taken back last puts that fake back.
afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  Object.assign(globalThis, theirs);
});

// Stryker hands in what all tests so far have covered with each file, which is more and more.
beforeAll(() => {
  const { mutantCoverage } = Object(Reflect.get(globalThis, '__stryker__'));
  if (mutantCoverage !== undefined) mutantCoverage.perTest = {};
});
