import type { AgentEvent } from '../../events/event.ts';
import type { Approval } from '../../protocol/approval.ts';
import type { Artifact } from '../../protocol/artifact.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { Message } from '../../protocol/message.ts';
import type { LedgerEntry, StoredThread, ThreadStore } from '../../stores/port.ts';

/** One record of a thread, under the name of its kind. */
export type ThreadRecord =
  | { readonly message: Message }
  | { readonly event: AgentEvent }
  | { readonly ledger: LedgerEntry }
  | { readonly approval: Approval }
  | { readonly artifact: Artifact }
  | { readonly memory: { readonly policy: string; readonly value: JsonObject } }
  | { readonly state: JsonObject };

const PAGE = 100;

/**
 * Every record of a thread, a page of them in memory at a time. What a call or an approval has left comes after the page of
 * events that tells of it: each call is told of once before anything of it is kept, and each approval with its record.
 */
export async function* recordsOf(
  store: ThreadStore,
  stored: StoredThread,
): AsyncGenerator<ThreadRecord, void> {
  const { threadId } = stored;
  for (let after = 0; after < stored.messageCount; after += PAGE) {
    const limit = Math.min(PAGE, stored.messageCount - after);
    for (const message of await store.readMessages(threadId, { after, limit })) yield { message };
  }
  let after = 0;
  while (after < stored.lastSeq) {
    const page = await store.readEvents(threadId, { after, limit: PAGE });
    const last = page.at(-1);
    if (last === undefined) break;
    after = last.seq;
    for (const event of page) yield { event };
    yield* leftBy(store, threadId, page);
  }
  const policies = Object.keys(stored.memory).sort();
  for (const policy of policies) {
    const value = stored.memory[policy];
    if (value !== undefined) yield { memory: { policy, value } };
  }
  yield { state: stored.state };
}

async function* leftBy(
  store: ThreadStore,
  threadId: string,
  events: readonly AgentEvent[],
): AsyncGenerator<ThreadRecord, void> {
  const callIds: string[] = [];
  const approvalIds: string[] = [];
  for (const event of events) {
    if (event.type === 'tool.called') callIds.push(event.callId);
    if (event.type === 'approval.requested') approvalIds.push(event.approvalId);
  }
  if (callIds.length > 0) {
    for (const entry of await store.readLedger(threadId, callIds)) yield { ledger: inOrder(entry) };
  }
  for (const approvalId of approvalIds) {
    const approval = await store.findApproval(approvalId);
    if (approval?.threadId === threadId) yield { approval };
  }
  for (const callId of callIds) {
    const artifact = await store.readArtifact(threadId, callId);
    if (artifact !== undefined) yield { artifact };
  }
}

/** Stores that keep the members of an entry apart give them in an order of their own. */
function inOrder(entry: LedgerEntry): LedgerEntry {
  const { callId, inputDigest, status, result, late, at } = entry;
  return {
    callId,
    inputDigest,
    status,
    ...(result !== undefined && { result }),
    ...(late !== undefined && { late }),
    at,
  };
}
