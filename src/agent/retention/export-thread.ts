import { ThreadConflictError } from '../../errors/store-error.ts';
import { ThreadError } from '../../errors/thread-error.ts';
import { readState } from '../../loop/read-state.ts';
import type { StoredThread, ThreadStore } from '../../stores/port.ts';
import { checkArguments } from './check-arguments.ts';
import {
  type Counts,
  EXPORT_FORMAT,
  EXPORT_VERSION,
  isAtRest,
  NO_COUNTS,
} from './export-format.ts';
import { loadTop, threadsBelow } from './family.ts';
import { recordsOf } from './records-of.ts';

/**
 * Everything that is kept of a thread and those of its subagents, as lines of JSON, each with its line break: to hand out,
 * to keep elsewhere, or to bring into another store with `importThread`. It holds all that the store holds, the key of the
 * thread's digests included, and is to be kept as safe. Only a page of the thread is in memory at a time.
 *
 * Takes no claim, so it never stands in the way of a run. Throws while it is read: `UnknownThreadError`; `ThreadError` for a
 * thread in the middle of a step, and for that of a subagent; `ThreadConflictError` where a run has changed the thread
 * meanwhile: what was written so far then has no end, and is refused by `importThread`.
 *
 * @example
 * await pipeline(exportThread(store, 'customer-4711'), createWriteStream('customer-4711.jsonl'));
 */
export function exportThread(store: ThreadStore, threadId: string): AsyncIterable<string> {
  checkArguments(`exportThread of '${threadId}'`, store, threadId);
  return exportFamily(store, threadId);
}

async function* exportFamily(store: ThreadStore, threadId: string): AsyncGenerator<string, void> {
  const top = await loadTop(store, threadId);
  // Those that can still move are few: they are the subagents of one batch.
  const moving: StoredThread[] = [top];
  let threads = 1;
  yield* exportOne(store, top);
  for await (const child of threadsBelow(store, threadId)) {
    if (readState(child.threadId, child).phase.name !== 'finished') moving.push(child);
    yield* exportOne(store, child);
    threads += 1;
  }
  for (const stored of moving) await requireUnchanged(store, stored);
  yield line({ finished: { threads } });
}

async function* exportOne(store: ThreadStore, stored: StoredThread): AsyncGenerator<string, void> {
  const { threadId } = stored;
  requireAtRest(stored);
  yield line({ format: EXPORT_FORMAT, version: EXPORT_VERSION, threadId });
  const counts: Counts = { ...NO_COUNTS };
  for await (const record of recordsOf(store, stored)) {
    for (const kind of Object.keys(record) as (keyof Counts)[]) counts[kind] += 1;
    yield line(record);
  }
  await requireUnchanged(store, stored);
  yield line({ end: counts });
}

function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

/** In the middle of a step a state may hold feedback that its model has not read yet, which is for nobody else (L7). */
function requireAtRest(stored: StoredThread): void {
  if (isAtRest(readState(stored.threadId, stored).phase.name)) return;
  throw new ThreadError('open-turn', {
    where: `thread '${stored.threadId}'`,
    what: 'it is in the middle of a step',
    fix: 'Wait for its run to end, or go on with `resume` where that run is gone',
  });
}

async function requireUnchanged(
  store: ThreadStore,
  { threadId, version }: StoredThread,
): Promise<void> {
  if ((await store.load(threadId))?.version === version) return;
  const fix = 'Export it again; what was written so far is no export';
  throw new ThreadConflictError(threadId, 'a run changed it while it was exported', fix);
}
