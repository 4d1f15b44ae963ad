import { StoreError } from '../../errors/store-error.ts';
import type { Connection } from './connection.ts';

/**
 * Writes the file anew from its rows, then empties the log. Overwriting what is deleted is not enough: pages that were
 * once split keep copies of rows in the room between their rows.
 */
export function scrub(connection: Connection): void {
  connection.exec('VACUUM');
  const [row] = connection.all('PRAGMA wal_checkpoint(TRUNCATE)');
  if (row?.['busy'] === 0) return;
  throw new StoreError({
    where: connection.where,
    what: 'others read it all the while, so its log still holds what was deleted or replaced',
    fix: 'Call `scrub` again; what was deleted is deleted',
  });
}
