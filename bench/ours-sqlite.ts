import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteStore } from 'agent-hooks/stores/sqlite';
import { prepareOurs } from './ours.ts';
import type { Contender, Work } from './work.ts';

/** agent-hooks on one SQLite file, every commit on the disk when it returns. */
export function onDisk(): Contender {
  const folder = mkdtempSync(join(tmpdir(), 'agent-hooks-bench-'));
  const store = sqliteStore({ path: join(folder, 'bench.db') });
  return {
    name: 'sqlite',
    prepare: (work) => prepareOurs(work, store),
    close: async () => {
      await store.close?.();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Commits that one turn makes. */
export async function countCommits(work: Work): Promise<number> {
  const store = sqliteStore({ path: ':memory:' });
  const commit = store.commit.bind(store);
  let commits = 0;
  store.commit = (...args) => {
    commits += 1;
    return commit(...args);
  };
  await prepareOurs(work, store)();
  await store.close?.();
  return commits;
}
