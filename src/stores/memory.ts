import { checkKeys } from '../errors/check-keys.ts';
import {
  LedgerMismatchError,
  ThreadBusyError,
  ThreadConflictError,
} from '../errors/store-error.ts';
import type { AgentEvent } from '../events/event.ts';
import { deepFreeze } from '../internal/deep-freeze.ts';
import type { Approval } from '../protocol/approval.ts';
import type { Artifact } from '../protocol/artifact.ts';
import type { Counters } from '../protocol/counters.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { Message } from '../protocol/message.ts';
import type { ToolResult } from '../protocol/tool.ts';
import { checkNew, EventLog, type NewEvents } from './event-log.ts';
import { requireKey } from './key.ts';
import { leaseEnd } from './lease-end.ts';
import { memoryCounters } from './memory-counters.ts';
import { PackedChanges, takePacked } from './packed-port.ts';
import { pageLimit } from './page-limit.ts';
import type {
  Claim,
  LedgerEntry,
  ListOptions,
  PageOptions,
  StoredThread,
  ThreadChanges,
  ThreadRewrite,
  ThreadStore,
} from './port.ts';
import { checkedRewrite } from './rewrite.ts';

export interface MemoryStoreOptions {
  /** The clock of claims and late outcomes, in milliseconds since the epoch. Default: `Date.now`. */
  readonly now?: () => number;
  /** Whether decisions are kept with the digest of what they judged. Default: false. */
  readonly digests?: boolean;
}

const OPTIONS = Object.keys({ now: true, digests: true } satisfies Record<
  keyof MemoryStoreOptions,
  true
>);

/** A `ThreadStore` with counters beside the threads. */
export interface MemoryThreadStore extends ThreadStore {
  readonly counters: Counters;
}

/**
 * Keeps threads in this process; they are gone when it ends. Every method answers at once. Values are kept
 * as they are given, frozen by their maker, and never copied, but for events: those are kept packed.
 */
export function memoryStore(options: MemoryStoreOptions = {}): MemoryThreadStore {
  checkKeys('memoryStore', options, OPTIONS);
  return new MemoryStore(options);
}

interface Lease {
  token: number;
  /** `undefined` once it was given back. */
  holder: string | undefined;
  expiresAt: number;
}

interface Thread {
  version: number;
  state: JsonObject;
  memory: { readonly [policy: string]: JsonObject };
  messages: Message[];
  events: EventLog;
  /** Absent where there is none, as in most threads. */
  ledger?: Map<string, LedgerEntry>;
  /** As above. */
  artifacts?: Map<string, Artifact>;
}

interface StoredApproval {
  readonly threadId: string;
  approval: Approval;
}

type RewriteArgs = Parameters<ThreadStore['rewriteThread']>;

const EMPTY: { readonly [policy: string]: JsonObject } = Object.freeze({});

class MemoryStore implements ThreadStore {
  readonly keepsDigests: boolean;
  readonly counters: Counters;
  readonly #now: () => number;
  readonly #leases = new Map<string, Lease>();
  readonly #threads = new Map<string, Thread>();
  readonly #approvals = new Map<string, StoredApproval>();
  readonly #open = new Map<string, StoredApproval>();

  constructor(options: MemoryStoreOptions) {
    this.#now = options.now ?? Date.now;
    this.keepsDigests = options.digests ?? false;
    this.counters = memoryCounters(this.#now);
    takePacked(this);
  }

  claim(threadId: string, lease: { readonly holder: string; readonly ttlMs: number }): Claim {
    const now = this.#now();
    const expiresAt = leaseEnd(now, lease.ttlMs);
    const held = this.#leases.get(threadId);
    if (held === undefined) {
      this.#leases.set(requireKey(threadId, 'thread id'), {
        token: 1,
        holder: lease.holder,
        expiresAt,
      });
      return { token: 1, expiresAt };
    }
    if (held.holder !== undefined && held.holder !== lease.holder && now < held.expiresAt) {
      throw new ThreadBusyError(threadId, held.expiresAt);
    }
    held.token += 1;
    held.holder = lease.holder;
    held.expiresAt = expiresAt;
    return { token: held.token, expiresAt };
  }

  renew(threadId: string, token: number, ttlMs: number): void {
    this.#held(threadId, token).expiresAt = leaseEnd(this.#now(), ttlMs);
  }

  release(threadId: string, token: number): void {
    const lease = this.#leases.get(threadId);
    if (lease?.token === token) lease.holder = undefined;
  }

  load(threadId: string): StoredThread | undefined {
    const thread = this.#threads.get(threadId);
    if (thread === undefined) return undefined;
    return {
      threadId,
      version: thread.version,
      // The loop never changes a state, so only whoever reads one has to be kept from it.
      state: deepFreeze(thread.state),
      messageCount: thread.messages.length,
      lastSeq: thread.events.lastSeq,
      memory: thread.memory,
    };
  }

  /** Checks everything before it writes anything, and writes without a step that could fail. */
  commit(...[threadId, token, expectedVersion, changes]: Parameters<ThreadStore['commit']>): void {
    this.#held(threadId, token);
    const known = this.#threads.get(threadId);
    if ((known?.version ?? 0) !== expectedVersion) throw new ThreadConflictError(threadId);
    const events = eventsIn(changes);
    checkNew(threadId, known?.events.lastSeq ?? 0, events);
    checkLedger(threadId, known, changes.ledger);
    for (const { approvalId } of changes.approvals) {
      const approval = this.#approvals.get(approvalId);
      if (approval !== undefined && approval.threadId !== threadId) {
        throw new ThreadConflictError(threadId, 'an approval id belongs to another thread');
      }
    }
    const thread = known ?? this.#create(threadId, changes.state);
    append(thread, changes);
    thread.events.add(events);
    for (const approval of changes.approvals) this.#putApproval(threadId, approval);
  }

  readMessages(
    threadId: string,
    options: PageOptions & { readonly after?: number } = {},
  ): readonly Message[] {
    const after = options.after ?? 0;
    const end = after + pageLimit(options.limit);
    return this.#threads.get(threadId)?.messages.slice(after, end) ?? [];
  }

  readEvents(
    threadId: string,
    options: PageOptions & { readonly after?: number } = {},
  ): readonly AgentEvent[] {
    const limit = pageLimit(options.limit);
    const page = this.#threads.get(threadId)?.events.read(options.after ?? 0, limit) ?? [];
    // The loop freezes an event only when somebody hears it; whoever reads one here must not change it either.
    for (const event of page) deepFreeze(event);
    return page;
  }

  readLedger(threadId: string, callIds: readonly string[]): readonly LedgerEntry[] {
    const ledger = this.#threads.get(threadId)?.ledger;
    if (ledger === undefined) return [];
    return [...new Set(callIds)].flatMap((callId) => ledger.get(callId) ?? []);
  }

  listThreads(
    options: ListOptions & { readonly after?: string } = {},
  ): readonly { readonly threadId: string; readonly version: number }[] {
    const ids = page([...this.#threads.keys()], options);
    return ids.map((threadId) => ({
      threadId,
      version: this.#threads.get(threadId)?.version ?? 0,
    }));
  }

  pendingApprovals(
    options: ListOptions & { readonly threadId?: string; readonly after?: string } = {},
  ): readonly Approval[] {
    const { threadId } = options;
    const ids: string[] = [];
    for (const [id, stored] of this.#open) {
      if (threadId === undefined || stored.threadId === threadId) ids.push(id);
    }
    return page(ids, options).flatMap((id) => this.#open.get(id)?.approval ?? []);
  }

  findApproval(approvalId: string): Approval | undefined {
    return this.#approvals.get(approvalId)?.approval;
  }

  readArtifact(threadId: string, artifactId: string): Artifact | undefined {
    return this.#threads.get(threadId)?.artifacts?.get(artifactId);
  }

  recordLate(threadId: string, callId: string, result: ToolResult): void {
    const ledger = this.#threads.get(threadId)?.ledger;
    const entry = ledger?.get(callId);
    if (entry?.status !== 'intended') return;
    const { inputDigest } = entry;
    const late: LedgerEntry = {
      callId,
      inputDigest,
      status: 'finished',
      result,
      late: true,
      at: this.#now(),
    };
    ledger?.set(callId, Object.freeze(late));
  }

  deleteThread(threadId: string, token: number): void {
    this.#held(threadId, token);
    this.#threads.delete(threadId);
    for (const { approval } of this.#approvalsOf(threadId)) {
      this.#approvals.delete(approval.approvalId);
      this.#open.delete(approval.approvalId);
    }
  }

  /** Everything is made anew before anything is put. */
  rewriteThread(...[threadId, token, expectedVersion, rewrite]: RewriteArgs): void {
    this.#held(threadId, token);
    const thread = this.#threads.get(threadId);
    if (thread?.version !== expectedVersion) throw new ThreadConflictError(threadId);
    const to = checkedRewrite(rewrite);
    const approvals = this.#approvalsOf(threadId).map(({ approval }) => to.approval(approval));
    Object.assign(thread, rewritten(thread, to));
    for (const approval of approvals) this.#putApproval(threadId, approval);
  }

  #approvalsOf(threadId: string): readonly StoredApproval[] {
    return [...this.#approvals.values()].filter((stored) => stored.threadId === threadId);
  }

  /** A claim whose time ran out still counts until another takes the thread: nobody else has written. */
  #held(threadId: string, token: number): Lease {
    const lease = this.#leases.get(threadId);
    if (lease?.token === token && lease.holder !== undefined) return lease;
    throw new ThreadConflictError(threadId, 'its claim was given back or taken over');
  }

  #create(threadId: string, state: JsonObject): Thread {
    const thread: Thread = {
      version: 0,
      state,
      memory: EMPTY,
      messages: [],
      events: new EventLog(),
    };
    this.#threads.set(threadId, thread);
    return thread;
  }

  #putApproval(threadId: string, approval: Approval): void {
    const stored = { threadId, approval };
    this.#approvals.set(approval.approvalId, stored);
    if (approval.status === 'open') this.#open.set(approval.approvalId, stored);
    else this.#open.delete(approval.approvalId);
  }
}

function rewritten(thread: Thread, to: ThreadRewrite): Thread {
  const memory = Object.entries(thread.memory).map(([policy, value]) => [
    policy,
    to.memory(value, policy),
  ]);
  return {
    version: thread.version + 1,
    state: to.state(thread.state),
    memory: Object.freeze(Object.fromEntries(memory)),
    messages: thread.messages.map(to.message),
    events: thread.events.map(to.event),
    ledger: mapped(thread.ledger, (entry) => withResult(entry, to)),
    artifacts: mapped(thread.artifacts, to.artifact),
  };
}

function mapped<Value>(
  values: ReadonlyMap<string, Value> | undefined,
  change: (value: Value) => Value,
): Map<string, Value> {
  return new Map([...(values ?? [])].map(([key, value]) => [key, change(value)]));
}

function withResult(entry: LedgerEntry, to: ThreadRewrite): LedgerEntry {
  return entry.result === undefined
    ? entry
    : Object.freeze({ ...entry, result: to.result(entry.result) });
}

function eventsIn(changes: ThreadChanges): NewEvents {
  return changes instanceof PackedChanges ? changes.packed : [...changes.events];
}

function checkLedger(
  threadId: string,
  thread: Thread | undefined,
  entries: readonly LedgerEntry[],
): void {
  if (entries.length === 0) return;
  const digests = new Map<string, string>();
  for (const { callId, inputDigest } of entries) {
    const known = digests.get(callId) ?? thread?.ledger?.get(callId)?.inputDigest;
    if (known !== undefined && known !== inputDigest) {
      throw new LedgerMismatchError(threadId, callId);
    }
    digests.set(callId, inputDigest);
  }
}

function append(thread: Thread, changes: ThreadChanges): void {
  thread.version += 1;
  thread.state = changes.state;
  for (const message of changes.messages) thread.messages.push(message);
  for (const entry of changes.ledger) {
    // The first outcome stays: what really happened is not replaced by what a turn believed later.
    if (thread.ledger?.get(entry.callId)?.status !== 'finished') {
      thread.ledger ??= new Map();
      thread.ledger.set(entry.callId, entry);
    }
  }
  for (const artifact of changes.artifacts) {
    thread.artifacts ??= new Map();
    thread.artifacts.set(artifact.artifactId, artifact);
  }
  if (Object.keys(changes.memory).length > 0) {
    thread.memory = Object.freeze({ ...thread.memory, ...changes.memory });
  }
}

function page(
  ids: readonly string[],
  options: PageOptions & { readonly after?: string },
): readonly string[] {
  const { after } = options;
  const rest = after === undefined ? [...ids] : ids.filter((id) => id > after);
  return rest.sort().slice(0, pageLimit(options.limit));
}
