import { randomUUID } from 'node:crypto';
import { ConfigError } from '../../errors/config-error.ts';
import { ThreadError } from '../../errors/thread-error.ts';
import { deepFreeze } from '../../internal/deep-freeze.ts';
import type { ThreadStore } from '../../stores/port.ts';
import { requireStore } from './check-arguments.ts';
import { withClaim } from './claims.ts';
import { threadsBelow } from './family.ts';
import { type ReadThread, readExport } from './read-export.ts';

/** What an import has brought in. */
export interface ImportedThread {
  readonly threadId: string;
  /** How many threads were written, those of subagents included. */
  readonly threads: number;
}

/**
 * Brings a thread that `exportThread` wrote into a store: it goes on there as it would have where it came from, open
 * approvals included. Everything is read and checked before anything is written, so all of it is in memory once. The
 * threads of subagents are written first, each as one commit; what was written is removed again where a later one fails.
 *
 * `lines`: one line each, with or without its line break. Only bring in what you would restore as a backup: it says what
 * has been approved, and what a tool has done.
 *
 * Throws, with nothing written: `ThreadImportError` with the number of the line, `StoreVersionError` for an export of a newer
 * version, and `ThreadError` where the store has the thread, one of its subagents or one of its approvals already.
 *
 * @example
 * await importThread(store, createInterface({ input: createReadStream('customer-4711.jsonl') }));
 */
export async function importThread(
  store: ThreadStore,
  lines: AsyncIterable<string> | Iterable<string>,
): Promise<ImportedThread> {
  requireStore('importThread', store);
  requireLines(lines);
  const threads = await readExport(lines);
  const [top, ...below] = threads;
  const { threadId } = top;
  await withClaim(store, { threadId, holder: randomUUID() }, async ({ token, renew }) => {
    await requireNew(store, threadId, threads);
    const written: ReadThread[] = [];
    try {
      for (const child of below) {
        await renew();
        await write(store, child);
        written.push(child);
      }
      await store.commit(threadId, token, 0, deepFreeze(top.changes));
    } catch (error) {
      for (const child of written) await takeBack(store, child);
      throw error;
    }
  });
  return { threadId, threads: threads.length };
}

/** A text is a list of characters to whoever goes through it. */
function requireLines(lines: unknown): void {
  const isIterable =
    typeof lines === 'object' &&
    lines !== null &&
    (Symbol.asyncIterator in lines || Symbol.iterator in lines);
  if (isIterable) return;
  throw new ConfigError('invalid-input', {
    where: 'importThread',
    what: 'its second argument is no list of lines',
    fix: "Give what `exportThread` gave, the lines of `readline`, or `text.split('\\n')`",
  });
}

async function requireNew(
  store: ThreadStore,
  topId: string,
  threads: readonly ReadThread[],
): Promise<void> {
  for (const { threadId, changes } of threads) {
    if ((await store.load(threadId)) !== undefined)
      throw exists(threadId, 'the store has it already');
    for (const { approvalId } of changes.approvals) {
      if ((await store.findApproval(approvalId)) !== undefined)
        throw exists(threadId, `the store has its approval '${approvalId}' already`);
    }
  }
  for await (const { threadId } of threadsBelow(store, topId))
    throw exists(threadId, 'the store has it already, for a call of this thread');
}

function exists(threadId: string, what: string): ThreadError {
  return new ThreadError('thread-exists', {
    where: `thread '${threadId}'`,
    what,
    fix: 'Import into another store, or remove what is there with `deleteThread`; nothing was written',
  });
}

function write(store: ThreadStore, { threadId, changes }: ReadThread): Promise<void> {
  return withClaim(store, { threadId, holder: randomUUID() }, async ({ token }) =>
    store.commit(threadId, token, 0, deepFreeze(changes)),
  );
}

/** As far as the store still works: what stays is found and removed by `deleteThread` of the thread it belongs to. */
async function takeBack(store: ThreadStore, { threadId }: ReadThread): Promise<void> {
  try {
    await withClaim(store, { threadId, holder: randomUUID() }, async ({ token }) =>
      store.deleteThread(threadId, token),
    );
  } catch {
    // The failure that led here is the one to tell.
  }
}
