import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder for one database, and how long its log is. */
export class SqliteFile {
  readonly #folder = mkdtempSync(join(tmpdir(), 'agent-hooks-storage-'));
  readonly path: string = join(this.#folder, 'bench.db');

  /** Bytes of the log. It has been emptied before, and nobody begins it anew meanwhile. */
  get logged(): number {
    return statSync(`${this.path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true });
  }
}
