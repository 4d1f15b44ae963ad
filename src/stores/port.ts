import type { CorruptRecordError } from '../errors/store-error.ts';
import type { AgentEvent } from '../events/event.ts';
import type { MaybePromise } from '../internal/maybe-promise.ts';
import type { Approval } from '../protocol/approval.ts';
import type { Artifact } from '../protocol/artifact.ts';
import type { Counters } from '../protocol/counters.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { Message } from '../protocol/message.ts';
import type { ToolResult } from '../protocol/tool.ts';

/** The right to write one thread. `token` grows with every claim, so a holder that lost it is refused. */
export interface Claim {
  readonly token: number;
  /** Milliseconds since the epoch, by the store's clock. */
  readonly expiresAt: number;
}

/** A thread as it was last committed, without its messages. */
export interface StoredThread {
  readonly threadId: string;
  /** The number of commits so far. */
  readonly version: number;
  /** Opaque to the store. */
  readonly state: JsonObject;
  readonly messageCount: number;
  /** The highest event number ever committed; 0 for none. */
  readonly lastSeq: number;
  /** What each policy remembers, by policy name. */
  readonly memory: { readonly [policy: string]: JsonObject };
}

/** What is known of one call of a tool that must not run twice. */
export interface LedgerEntry {
  readonly callId: string;
  /** Of the input that was meant to run; the same call with another digest is an error, never a hit. */
  readonly inputDigest: string;
  readonly status: 'intended' | 'finished';
  readonly result?: ToolResult;
  /** True when the outcome came after its turn had given up on it. */
  readonly late?: true;
  readonly at: number;
}

/** Everything one commit writes, or nothing of it. */
export interface ThreadChanges {
  readonly state: JsonObject;
  /** Appended to the thread. */
  readonly messages: readonly Message[];
  /** Appended; `seq` is already set and grows. */
  readonly events: readonly AgentEvent[];
  /** Put by `callId`. An entry that is `finished` is never put back to `intended`. */
  readonly ledger: readonly LedgerEntry[];
  /** Put by `approvalId`. */
  readonly approvals: readonly Approval[];
  /** Put by policy name; policies left out keep what they have. */
  readonly memory: { readonly [policy: string]: JsonObject };
  /** Put by `artifactId`, which is one of its thread only. */
  readonly artifacts: readonly Artifact[];
}

/**
 * What each stored record becomes, in its own place. Called once for every record of its kind, at once and without
 * waiting. What finds a record, or says what it is, must stay: a message its `role`, an event its `seq`, `type` and
 * `threadId`, a result its `outcome`, an approval its `approvalId`, `threadId` and `status`, an artifact its `artifactId`.
 */
export interface ThreadRewrite {
  readonly state: (state: JsonObject) => JsonObject;
  readonly message: (message: Message) => Message;
  readonly event: (event: AgentEvent) => AgentEvent;
  /** Of an entry of the ledger. */
  readonly result: (result: ToolResult) => ToolResult;
  readonly approval: (approval: Approval) => Approval;
  readonly artifact: (artifact: Artifact) => Artifact;
  readonly memory: (memory: JsonObject, policy: string) => JsonObject;
}

export interface PageOptions {
  readonly limit?: number;
}

/** Of lists that go over threads. */
export interface ListOptions extends PageOptions {
  /**
   * Told of each record that cannot be read, which is left out: the page is filled with those after it. Without it the
   * first of them is thrown.
   */
  readonly onDamaged?: (error: CorruptRecordError) => void;
}

/**
 * Where threads live. Any method may answer now or later.
 *
 * A commit is atomic and compare-and-set: it writes all of its changes and makes the version
 * `expectedVersion + 1`, or throws `ThreadConflictError` and writes nothing. What it writes depends on the
 * changes only, never on the length of the thread. Messages, approvals, artifacts and results given to a store are frozen
 * and belong to it; whatever it gives out is frozen, deeply, because policies are shown it as it is.
 */
export interface ThreadStore {
  /** False for a store that need not keep the digests of decisions, each of which costs an HMAC. Default: true. */
  readonly keepsDigests?: boolean;
  /**
   * Counters beside the threads, shared by all who use the same data; an agent counts with them unless it is given
   * others. They belong to no thread: deleting one leaves them. Absent for a store without, whose agents count in their
   * own process.
   */
  readonly counters?: Counters;
  /** Takes the thread until `ttlMs` from now. Throws `ThreadBusyError`, with `heldUntil`, while another holder's claim runs; one that ran out is taken over. A thread need not exist yet. */
  claim(
    threadId: string,
    lease: { readonly holder: string; readonly ttlMs: number },
  ): MaybePromise<Claim>;
  /** Moves the end of a claim. Throws `ThreadConflictError` when it is no longer held. */
  renew(threadId: string, token: number, ttlMs: number): MaybePromise<void>;
  /** Gives a claim back; nothing happens when it is no longer held. */
  release(threadId: string, token: number): MaybePromise<void>;
  /** `undefined` for a thread that was never committed. */
  load(threadId: string): MaybePromise<StoredThread | undefined>;
  /** Throws `ThreadConflictError` on a token that is not the newest, one that was released or ran out and was taken, or another version. */
  commit(
    threadId: string,
    token: number,
    expectedVersion: number,
    changes: ThreadChanges,
  ): MaybePromise<void>;
  /** Messages in order, from position `after` (0: from the first). */
  readMessages(
    threadId: string,
    options?: PageOptions & { readonly after?: number },
  ): MaybePromise<readonly Message[]>;
  /** Events in order, with `seq` above `after`. */
  readEvents(
    threadId: string,
    options?: PageOptions & { readonly after?: number },
  ): MaybePromise<readonly AgentEvent[]>;
  /** The entries that exist among these calls. */
  readLedger(threadId: string, callIds: readonly string[]): MaybePromise<readonly LedgerEntry[]>;
  /** Threads by id, after `after`, in any order in which those whose ids begin alike follow each other. */
  listThreads(
    options?: ListOptions & { readonly after?: string },
  ): MaybePromise<readonly { readonly threadId: string; readonly version: number }[]>;
  /** Open approvals of one thread, or of all, by id after `after`. */
  pendingApprovals(
    options?: ListOptions & { readonly threadId?: string; readonly after?: string },
  ): MaybePromise<readonly Approval[]>;
  /** Any approval ever asked for, whatever its status. */
  findApproval(approvalId: string): MaybePromise<Approval | undefined>;
  /** The output of a call that was too long for the model, character by character as it was committed. Needs no claim. */
  readArtifact(threadId: string, artifactId: string): MaybePromise<Artifact | undefined>;
  /** Records the outcome of a call that its turn no longer waits for. Needs no claim; fills an intent only, never replaces an outcome. */
  recordLate(threadId: string, callId: string, result: ToolResult): MaybePromise<void>;
  /**
   * Removes everything of the thread, approvals and late outcomes included, as one change. Only the number of its claims
   * stays, so that whoever held one before is refused for ever. Nothing happens for a thread that is not there. Throws
   * `ThreadConflictError` without the claim.
   */
  deleteThread(threadId: string, token: number): MaybePromise<void>;
  /**
   * Puts every record of the thread in its own place anew, as one change with the version `expectedVersion + 1`. Throws as
   * `commit` does, `ConfigError` for a record that became another, and whatever `rewrite` throws; then nothing is changed.
   */
  rewriteThread(
    threadId: string,
    token: number,
    expectedVersion: number,
    rewrite: ThreadRewrite,
  ): MaybePromise<void>;
  /**
   * Makes unreadable, in the files of the store, what was deleted or replaced before. May take as long as writing all of
   * the store anew. Absent for a store that keeps no such files, or cannot see to them.
   */
  scrub?(): MaybePromise<void>;
  /** Lets go of files and connections. */
  close?(): MaybePromise<void>;
}
