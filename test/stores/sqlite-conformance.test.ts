import { describe, test } from 'vitest';
import type { ThreadStore } from '../../src/stores/port.ts';
import { sqliteStore } from '../../src/stores/sqlite.ts';
import { threadStoreConformance } from '../../src/testing/conformance/thread-store.ts';
import { tempFiles } from './temp-files.ts';

const newPath = tempFiles();

describe.each(['node:sqlite', 'libsql'] as const)('sqlite store on %s', (driver) => {
  const paths = new WeakMap<ThreadStore, string>();
  const openAt = (path: string, now: () => number): ThreadStore => {
    const store = sqliteStore({ path, driver, now });
    paths.set(store, path);
    return store;
  };
  const cases = threadStoreConformance(({ now }) => openAt(newPath(), now), {
    reopen: (store, { now }) => openAt(paths.get(store) ?? '', now),
  });
  test.each(cases)('$name', ({ run }) => run());
});

describe('sqlite store in memory', () => {
  test.each(threadStoreConformance(({ now }) => sqliteStore({ path: ':memory:', now })))(
    '$name',
    ({ run }) => run(),
  );
});
