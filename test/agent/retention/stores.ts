import { existsSync, readFileSync } from 'node:fs';
import { memoryStore, type ThreadStore } from 'agent-hooks';
import { sqliteStore } from '../../../src/stores/sqlite.ts';
import { tempFiles } from '../../stores/temp-files.ts';

interface OpenedStore {
  readonly store: ThreadStore;
  /** Everything in the files of the store; nothing for one without. */
  readonly bytes: () => string;
}

/** The stores of a test file, by name. */
export function stores(): readonly (readonly [name: string, open: () => OpenedStore])[] {
  const newPath = tempFiles();
  return [
    ['memory', () => ({ store: memoryStore({ digests: true }), bytes: () => '' })],
    [
      'SQLite',
      () => {
        const path = newPath();
        const files = [path, `${path}-wal`];
        const bytes = (): string =>
          files.map((file) => (existsSync(file) ? readFileSync(file, 'utf8') : '')).join('');
        return { store: sqliteStore({ path }), bytes };
      },
    ],
  ];
}
