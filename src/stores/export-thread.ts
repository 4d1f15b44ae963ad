import type { AgentEvent } from '../events/event.ts';
import type { Message } from '../protocol/message.ts';
import type { ThreadStore } from './port.ts';

/** One line of an exported thread, as JSON. */
export type ThreadLine =
  | {
      readonly type: 'thread';
      readonly format: 'agent-hooks/thread';
      readonly version: 1;
      readonly threadId: string;
    }
  | { readonly type: 'message'; readonly message: Message }
  | { readonly type: 'event'; readonly event: AgentEvent }
  /** How many lines of each kind there must be before it: a thread without this line was cut off. */
  | { readonly type: 'end'; readonly messages: number; readonly events: number };

const PAGE = 200;

/**
 * A thread of any store as JSON lines, each ending in a newline: a head, its messages, its events, and an end that
 * counts them. Read page by page, so a long thread takes no more memory than a short one. Threads may follow one
 * another in a file. Holds what the store holds: whoever may not read the thread must not read this. Nothing is
 * given for a thread that does not exist. Throws what the store throws.
 *
 * @example
 * for await (const line of exportThread(store, 'thread-1')) process.stdout.write(line);
 */
export async function* exportThread(store: ThreadStore, threadId: string): AsyncGenerator<string> {
  for await (const line of threadLines(store, threadId)) yield `${JSON.stringify(line)}\n`;
}

/** The same as data. */
export async function* threadLines(
  store: ThreadStore,
  threadId: string,
): AsyncGenerator<ThreadLine> {
  const thread = await store.load(threadId);
  if (thread === undefined) return;
  yield { type: 'thread', format: 'agent-hooks/thread', version: 1, threadId };
  // What is committed while it is read is of a later version, and left out: the counts have to agree.
  const messages = thread.messageCount;
  for (let after = 0; after < messages; ) {
    const limit = Math.min(PAGE, messages - after);
    const page = await store.readMessages(threadId, { after, limit });
    if (page.length === 0) break;
    for (const message of page) yield { type: 'message', message };
    after += page.length;
  }
  let events = 0;
  for (let after = 0; after < thread.lastSeq; ) {
    const page = await store.readEvents(threadId, { after, limit: PAGE });
    const own = page.filter(({ seq }) => seq <= thread.lastSeq);
    if (own.length === 0) break;
    for (const event of own) yield { type: 'event', event };
    events += own.length;
    after = own.at(-1)?.seq ?? thread.lastSeq;
  }
  yield { type: 'end', messages, events };
}
