import { StoreAccessError, StoreVersionError } from '../../errors/store-error.ts';
import type { RedisConnection } from './connection.ts';

/** Of the keys and of what they hold. */
const FORMAT = 1;

/** Marks an empty place as a store, and refuses what a newer version or another program wrote. */
export async function setUp(connection: RedisConnection): Promise<void> {
  const { keys, where } = connection;
  if (!connection.isCluster) await reachAll(connection);
  await connection.call('SET', [keys.format, FORMAT, 'NX']);
  const found = Number(await connection.call('GET', [keys.format]));
  if (!Number.isSafeInteger(found) || found < 1) {
    throw new StoreAccessError('unreadable', where, {
      what: 'its keys belong to another program',
    });
  }
  if (found > FORMAT) throw new StoreVersionError(where, found, FORMAT);
}

/**
 * Keys all over the slots of a cluster. A client of one node of it fails at those of the others: here, and not in the
 * middle of a run.
 */
async function reachAll(connection: RedisConnection): Promise<void> {
  const ids = Array.from({ length: PROBES }, (_, at) => String(at));
  await Promise.all(ids.map((id) => connection.call('EXISTS', [connection.keys.of(id).thread])));
}

/** The slots of these are spread over all of a cluster. */
const PROBES = 16;
