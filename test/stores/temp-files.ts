import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** Paths of database files of this test file, in a folder that is gone when it ends. */
export function tempFiles(): () => string {
  const folder = mkdtempSync(join(tmpdir(), 'sqlite-store-'));
  let count = 0;
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return () => {
    count += 1;
    return join(folder, `${count}.db`);
  };
}
