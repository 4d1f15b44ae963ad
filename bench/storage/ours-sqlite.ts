import { DatabaseSync } from 'node:sqlite';
import { sqliteStore } from 'agent-hooks/stores/sqlite';
import type { Session, Size, StorageContender } from './contender.ts';
import { sessionOn } from './ours.ts';
import { SqliteFile } from './sqlite-file.ts';

export const sqlite: StorageContender = {
  name: 'sqlite',
  settings: async () => 'journal_mode = WAL, synchronous = FULL (set by the store)',
  open: async () => {
    const file = new SqliteFile();
    const store = sqliteStore({ path: file.path });
    await store.claim('first', { holder: 'bench', ttlMs: 1 });
    return openSession(file, store);
  },
};

function openSession(file: SqliteFile, store: ReturnType<typeof sqliteStore>): Session {
  const beside = new DatabaseSync(file.path);
  const number = (sql: string): number => Number(Object.values(beside.prepare(sql).get() ?? {})[0]);
  const size = (logged: number): Size => {
    beside.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    const pages = number('PRAGMA page_count') - number('PRAGMA freelist_count');
    return { stored: pages * number('PRAGMA page_size'), logged, rows: countRows(beside) };
  };
  return sessionOn(store, {
    settle: async () => beside.exec('PRAGMA wal_checkpoint(TRUNCATE)'),
    before: async () => {
      const now = size(0);
      // Whoever reads keeps the log from being begun anew, so its length is what was written.
      beside.exec('BEGIN; SELECT count(*) FROM threads');
      return now;
    },
    after: async () => {
      const { logged } = file;
      beside.exec('COMMIT');
      return size(logged);
    },
    close: async () => {
      beside.close();
      file.remove();
    },
  });
}

function countRows(database: DatabaseSync): number {
  const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
  return tables
    .map(({ name }) => database.prepare(`SELECT count(*) AS n FROM "${name}"`).get())
    .reduce((sum, row) => sum + Number(row?.['n']), 0);
}
