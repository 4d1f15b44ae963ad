import assert from 'node:assert/strict';
import type { AgentEvent } from '../../../events/event.ts';
import { deepFreeze } from '../../../internal/deep-freeze.ts';
import type { Approval, ApprovalStatus } from '../../../protocol/approval.ts';
import type { Artifact } from '../../../protocol/artifact.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import type { Message } from '../../../protocol/message.ts';
import type { ToolResult } from '../../../protocol/tool.ts';
import type { LedgerEntry, ThreadChanges, ThreadStore } from '../../../stores/port.ts';

/** A commit of nothing but what is given. */
export function changes(some: Partial<ThreadChanges> = {}): ThreadChanges {
  return deepFreeze({
    state: {},
    messages: [],
    events: [],
    ledger: [],
    approvals: [],
    memory: {},
    artifacts: [],
    ...some,
  });
}

export function userMessage(text: string): Message {
  return deepFreeze({ role: 'user', content: [{ type: 'text', text }] });
}

export function event(threadId: string, seq: number): AgentEvent {
  return deepFreeze({
    type: 'message.user',
    text: `event ${seq}`,
    threadId,
    turnId: 't1',
    step: 1,
    at: seq,
    seq,
  });
}

export function intent(callId: string, inputDigest = 'digest'): LedgerEntry {
  return deepFreeze({ callId, inputDigest, status: 'intended', at: 1 });
}

export function outcome(callId: string, output: string, inputDigest = 'digest'): LedgerEntry {
  const result = toolResult(output);
  return deepFreeze({ callId, inputDigest, status: 'finished', result, at: 2 });
}

export function toolResult(output: string): ToolResult {
  return deepFreeze({ outcome: 'succeeded', isError: false, output });
}

export function approval(
  threadId: string,
  approvalId: string,
  status: ApprovalStatus = 'open',
): Approval {
  return deepFreeze({
    approvalId,
    threadId,
    turnId: 't1',
    callId: `call-${approvalId}`,
    toolName: 'refund',
    displayName: 'Refund',
    input: { amount: 5 },
    inputDigest: 'digest',
    requirements: [{ policy: 'money', prompt: 'Pay it back?' }],
    requestedAt: 1,
    status,
  });
}

export function artifact(artifactId: string, text: string): Artifact {
  return deepFreeze({ artifactId, toolName: 'read', mediaType: 'text/plain', text });
}

/** What a store is most likely to lose or to bend. */
export const HARD_VALUES: JsonObject = deepFreeze({
  no: false,
  yes: true,
  zero: 0,
  empty: '',
  nothing: null,
  list: [],
  record: {},
  fraction: 0.1,
  huge: 1.7976931348623157e308,
  tiny: 5e-324,
  integer: Number.MAX_SAFE_INTEGER,
  nested: { a: [{ b: [null, false, 0, ''] }] },
  text: 'Grüße, 世界 👩‍👩‍👧 \u0000\u2028\n"quoted" \\ \uFFFD',
  half: 'a \uD83D and \uDE00 b',
  'odd key \u0000 "\'': 1,
  ...fromText('{"__proto__":{"polluted":true},"constructor":1,"toString":null}'),
});

export const ODD_THREAD_IDS: readonly string[] = [
  '__proto__',
  'constructor',
  'Grüße 世界 👩‍👩‍👧',
  "'; DROP TABLE threads; --",
  'a/b:c*d%e_f?g{h}',
  ' spaces ',
  'x'.repeat(500),
];

export const BIG_TEXT: string = 'é0123456789abcde'.repeat(65_536);

/** Everything a store tells of a thread, to compare two moments. */
export async function everything(
  store: ThreadStore,
  threadId: string,
  ids: {
    readonly callIds: readonly string[];
    readonly approvalIds: readonly string[];
    readonly artifactIds: readonly string[];
  },
): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  for (const id of ids.approvalIds) found.push(await store.findApproval(id));
  for (const id of ids.artifactIds) found.push(await store.readArtifact(threadId, id));
  return [
    await store.load(threadId),
    await store.readMessages(threadId),
    await store.readEvents(threadId),
    await store.readLedger(threadId, ids.callIds),
    await store.pendingApprovals({ threadId }),
    await store.pendingApprovals(),
    await store.listThreads(),
    found,
  ];
}

/** Equal as values and as text: the second also sees a key that became a prototype. */
export function same(actual: unknown, expected: unknown): void {
  assert.deepStrictEqual(actual, expected);
  assert.equal(sortedText(actual), sortedText(expected));
}

function sortedText(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1))
      : member,
  );
}

/** JSON.parse makes `__proto__` a plain key, which a literal does not. */
function fromText(text: string): JsonObject {
  return JSON.parse(text) as JsonObject;
}
