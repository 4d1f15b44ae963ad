import { StoreAccessError, StoreVersionError } from '../../errors/store-error.ts';
import type { RedisConnection } from './connection.ts';

/** Of the keys and of what they hold. */
const FORMAT = 1;

/** Marks an empty place as a store, and refuses what a newer version or another program wrote. */
export async function setUp(connection: RedisConnection): Promise<void> {
  const { keys, where } = connection;
  await connection.call('SET', [keys.format, FORMAT, 'NX']);
  const found = Number(await connection.call('GET', [keys.format]));
  if (!Number.isSafeInteger(found) || found < 1) {
    throw new StoreAccessError('unreadable', where, {
      what: 'its keys belong to another program',
    });
  }
  if (found > FORMAT) throw new StoreVersionError(where, found, FORMAT);
}
