import { checkKeys } from '../../errors/check-keys.ts';
import type { ThreadStore } from '../../stores/port.ts';
import { broken } from './read-conversation.ts';
import { noteApproval, threadTranscript } from './read-thread-lines.ts';
import type { BrokenTranscript, RecordedApproval, Transcript } from './transcript.ts';

const PAGE = 200;

/**
 * Threads of any store as recorded conversations: the named ones, or all of them. A thread that is not there is a
 * `BrokenTranscript`. Claims nothing and writes nothing. Throws what the store throws.
 */
export async function* readThreads(
  store: ThreadStore,
  options: { readonly threadIds?: readonly string[] } = {},
): AsyncGenerator<Transcript | BrokenTranscript> {
  checkKeys('readThreads', options, ['threadIds']);
  for await (const threadId of options.threadIds ?? allThreads(store)) {
    yield await readThread(store, threadId);
  }
}

async function* allThreads(store: ThreadStore): AsyncGenerator<string> {
  let after: string | undefined;
  do {
    const page = await store.listThreads({ limit: PAGE, ...(after !== undefined && { after }) });
    after = page.at(-1)?.threadId;
    for (const { threadId } of page) yield threadId;
  } while (after !== undefined);
}

async function readThread(
  store: ThreadStore,
  threadId: string,
): Promise<Transcript | BrokenTranscript> {
  const source = { file: 'store' };
  const thread = await store.load(threadId);
  if (thread === undefined) return broken(source, 'is no thread of this store', threadId);
  const messages: unknown[] = [];
  // What is committed while it is read is of a later version.
  while (messages.length < thread.messageCount) {
    const limit = Math.min(PAGE, thread.messageCount - messages.length);
    const page = await store.readMessages(threadId, { after: messages.length, limit });
    if (page.length === 0) break;
    messages.push(...page);
  }
  const approvals = await readApprovals(store, threadId, thread.lastSeq);
  return threadTranscript({ id: threadId, source }, messages, approvals);
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
