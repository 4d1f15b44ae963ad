import { checkKeys } from '../../errors/check-keys.ts';
import { ConfigError } from '../../errors/config-error.ts';
import { CorruptRecordError } from '../../errors/store-error.ts';
import type { ThreadStore } from '../../stores/port.ts';
import { broken } from './read-conversation.ts';
import { noteApproval, threadTranscript } from './read-thread-lines.ts';
import type { BrokenTranscript, RecordedApproval, Transcript } from './transcript.ts';

const PAGE = 200;

export interface ReadThreadsOptions {
  /** Default: all of the store. */
  readonly threadIds?: readonly string[];
  /** Told of each record that cannot be read, also where its thread is a `BrokenTranscript`. */
  readonly onDamaged?: (error: CorruptRecordError) => void;
}

/**
 * Threads of any store as recorded conversations: the named ones, or all of them. A thread that is not there, or of which
 * a record is damaged, is a `BrokenTranscript`, and what comes after it is read all the same. Claims nothing and writes
 * nothing. Throws what the store throws but for that.
 */
export async function* readThreads(
  store: ThreadStore,
  options: ReadThreadsOptions = {},
): AsyncGenerator<Transcript | BrokenTranscript> {
  checkKeys('readThreads', options, ['threadIds', 'onDamaged']);
  const { threadIds, onDamaged = ignored } = options;
  if (typeof onDamaged !== 'function') throw noFunction();
  for await (const thread of threadIds ?? allThreads(store)) {
    if (typeof thread === 'string') yield await readOrName(store, thread, onDamaged);
    else yield damaged(thread, onDamaged);
  }
}

type OnDamaged = (error: CorruptRecordError) => void;

/** The transcript names it. */
function ignored(): void {}

/** The ids, and the errors of those that are damaged where a list reads. */
async function* allThreads(store: ThreadStore): AsyncGenerator<string | CorruptRecordError> {
  let after: string | undefined;
  do {
    const errors: CorruptRecordError[] = [];
    const page = await store.listThreads({
      limit: PAGE,
      ...(after !== undefined && { after }),
      onDamaged: (error) => void errors.push(error),
    });
    after = page.at(-1)?.threadId;
    yield* errors;
    for (const { threadId } of page) yield threadId;
  } while (after !== undefined);
}

async function readOrName(
  store: ThreadStore,
  threadId: string,
  onDamaged: OnDamaged,
): Promise<Transcript | BrokenTranscript> {
  try {
    return await readThread(store, threadId);
  } catch (error) {
    if (!CorruptRecordError.isInstance(error)) throw error;
    return damaged(error, onDamaged);
  }
}

/** The message of the error quotes nothing that was stored. */
function damaged(error: CorruptRecordError, onDamaged: OnDamaged): BrokenTranscript {
  onDamaged(error);
  return broken(SOURCE, `is damaged: ${error.message}`, error.threadId);
}

function noFunction(): ConfigError {
  return new ConfigError('invalid-option', {
    where: 'readThreads',
    what: '`onDamaged` is no function',
    fix: 'Pass one that is given the error of a record, or leave it out',
  });
}

const SOURCE = Object.freeze({ file: 'store' });

async function readThread(
  store: ThreadStore,
  threadId: string,
): Promise<Transcript | BrokenTranscript> {
  const thread = await store.load(threadId);
  if (thread === undefined) return broken(SOURCE, 'is no thread of this store', threadId);
  const messages: unknown[] = [];
  // What is committed while it is read is of a later version.
  while (messages.length < thread.messageCount) {
    const limit = Math.min(PAGE, thread.messageCount - messages.length);
    const page = await store.readMessages(threadId, { after: messages.length, limit });
    if (page.length === 0) break;
    messages.push(...page);
  }
  const approvals = await readApprovals(store, threadId, thread.lastSeq);
  return threadTranscript({ id: threadId, source: SOURCE }, messages, approvals);
}

/** Of the events only these are of use, so that no more than a page of them is kept. */
async function readApprovals(
  store: ThreadStore,
  threadId: string,
  lastSeq: number,
): Promise<ReadonlyMap<string, RecordedApproval>> {
  const approvals = new Map<string, RecordedApproval>();
  for (let after = 0; after < lastSeq; ) {
    const page = await store.readEvents(threadId, { after, limit: PAGE });
    for (const event of page) noteApproval(event, approvals);
    after = page.at(-1)?.seq ?? lastSeq;
  }
  return approvals;
}
