import { randomUUID } from 'node:crypto';
import { checkKeys } from '../../errors/check-keys.ts';
import { CorruptRecordError } from '../../errors/store-error.ts';
import type { StoredThread, ThreadStore } from '../../stores/port.ts';
import { checkArguments } from './check-arguments.ts';
import { withClaim } from './claims.ts';
import { holderBelow, requireTop, threadsBelow } from './family.ts';

export interface ErasureOptions {
  /**
   * Whether the store then makes what is gone unreadable in its files (`store.scrub`), which may take as long as writing
   * all of the store anew. `false` for many threads in a row: call `store.scrub` once after the last. Default: true.
   */
  readonly scrub?: boolean;
}

/**
 * Removes a thread and those of its subagents: messages, events, ledger, approvals, artifacts, what policies remember, and
 * state. An open turn goes with it: whoever answers one of its approvals is told that it is unknown, and an outcome that
 * comes late is dropped. What stays is the ids with the number of their claims, so that a run that held the thread before
 * cannot bring it back.
 *
 * Returns how many threads were removed; 0 where there was none. Repeat it after a failure: the thread itself goes last.
 * Throws `ThreadBusyError` while a run holds the thread, and `ThreadError` for the thread of a subagent.
 *
 * @example
 * await deleteThread(store, 'customer-4711');
 */
export async function deleteThread(
  store: ThreadStore,
  threadId: string,
  options: ErasureOptions = {},
): Promise<number> {
  const where = `deleteThread of '${threadId}'`;
  checkArguments(where, store, threadId);
  checkKeys(where, options, ['scrub']);
  const isThere = await anythingOf(store, threadId);
  const count = isThere ? await deleteAll(store, threadId) : 0;
  if (options.scrub !== false) await store.scrub?.();
  return count;
}

/** A thread that is not there is not claimed either: a claim leaves its id. */
async function anythingOf(store: ThreadStore, threadId: string): Promise<boolean> {
  const stored = await find(store, threadId);
  if (stored !== undefined && stored !== 'unreadable') requireTop(stored);
  return stored !== undefined || !(await threadsBelow(store, threadId).next()).done;
}

function deleteAll(store: ThreadStore, threadId: string): Promise<number> {
  return withClaim(store, { threadId, holder: randomUUID() }, async ({ token, renew }) => {
    let count = (await find(store, threadId)) === undefined ? 0 : 1;
    for await (const child of threadsBelow(store, threadId)) {
      await renew();
      await deleteBelow(store, child);
      count += 1;
    }
    await store.deleteThread(threadId, token);
    return count;
  });
}

/** What cannot be read can still be deleted. */
async function find(
  store: ThreadStore,
  threadId: string,
): Promise<StoredThread | 'unreadable' | undefined> {
  try {
    return await store.load(threadId);
  } catch (error) {
    if (CorruptRecordError.isInstance(error)) return 'unreadable';
    throw error;
  }
}

async function deleteBelow(store: ThreadStore, child: StoredThread): Promise<void> {
  const { threadId } = child;
  await withClaim(store, { threadId, holder: holderBelow(child) }, async ({ token }) =>
    store.deleteThread(threadId, token),
  );
}
