import { StoreAccessError } from '../../errors/store-error.ts';
import type { AgentEvent } from '../../events/event.ts';
import type { Approval } from '../../protocol/approval.ts';
import type { Artifact } from '../../protocol/artifact.ts';
import type { Counters } from '../../protocol/counters.ts';
import type { Message } from '../../protocol/message.ts';
import type { ToolResult } from '../../protocol/tool.ts';
import { jsonText } from '../json-text.ts';
import { isKey, requireKey } from '../key.ts';
import { leaseEnd } from '../lease-end.ts';
import { pageLimit } from '../page-limit.ts';
import type {
  Claim,
  LedgerEntry,
  ListOptions,
  PageOptions,
  StoredThread,
  ThreadStore,
} from '../port.ts';
import { readEvent, readMessage } from '../records.ts';
import { writeCommit } from './commit.ts';
import type { Connection } from './connection.ts';
import { SqliteCounters } from './counters.ts';
import { deleteThread, rewriteThread } from './erase.ts';
import { claim, release, renew } from './leases.ts';
import {
  findApproval,
  loadThread,
  readArtifact,
  readLedger,
  readOpenApprovals,
  readThreadPage,
} from './reads.ts';
import { scrub } from './scrub.ts';

type RewriteArgs = Parameters<ThreadStore['rewriteThread']>;

/** The port on one connection. Every method answers at once, and so holds this thread while the disk works. */
export class SqliteStore implements ThreadStore {
  readonly counters: Counters;
  readonly #connection: Connection;
  readonly #now: () => number;

  constructor(connection: Connection, now: () => number) {
    this.#connection = connection;
    this.#now = now;
    this.counters = new SqliteCounters(connection, now);
  }

  claim(threadId: string, lease: { readonly holder: string; readonly ttlMs: number }): Claim {
    return claim(this.#connection, {
      threadId: threadKey(threadId),
      holder: requireKey(lease.holder, 'holder of a claim'),
      now: this.#now(),
      ttlMs: lease.ttlMs,
    });
  }

  renew(threadId: string, token: number, ttlMs: number): void {
    const expiresAt = leaseEnd(this.#now(), ttlMs);
    renew(this.#connection, { threadId: threadKey(threadId), token, expiresAt });
  }

  release(threadId: string, token: number): void {
    release(this.#connection, threadKey(threadId), token);
  }

  load(threadId: string): StoredThread | undefined {
    return loadThread(this.#connection, threadKey(threadId));
  }

  commit(...[threadId, token, expectedVersion, changes]: Parameters<ThreadStore['commit']>): void {
    const commit = { threadId: threadKey(threadId), token, expectedVersion, changes };
    writeCommit(this.#connection, commit);
  }

  readMessages(
    threadId: string,
    options: PageOptions & { readonly after?: number } = {},
  ): readonly Message[] {
    const rows = this.#connection.all(
      'SELECT position, json FROM messages WHERE thread = ? AND position > ? ORDER BY position LIMIT ?',
      [threadKey(threadId), options.after ?? 0, sqlLimit(options)],
    );
    return rows.map((row) => readMessage(row, threadId));
  }

  readEvents(
    threadId: string,
    options: PageOptions & { readonly after?: number } = {},
  ): readonly AgentEvent[] {
    const rows = this.#connection.all(
      'SELECT seq, json FROM events WHERE thread = ? AND seq > ? ORDER BY seq LIMIT ?',
      [threadKey(threadId), options.after ?? 0, sqlLimit(options)],
    );
    return rows.map((row) => readEvent(row, threadId));
  }

  readLedger(threadId: string, callIds: readonly string[]): readonly LedgerEntry[] {
    return readLedger(this.#connection, threadKey(threadId), callIds.filter(isKey));
  }

  listThreads(
    options: ListOptions & { readonly after?: string } = {},
  ): readonly { readonly threadId: string; readonly version: number }[] {
    const { after } = options;
    const from = after === undefined ? undefined : threadKey(after);
    return readThreadPage(this.#connection, { ...options, after: from });
  }

  pendingApprovals(
    options: ListOptions & { readonly threadId?: string; readonly after?: string } = {},
  ): readonly Approval[] {
    const { threadId, after = '' } = options;
    return readOpenApprovals(this.#connection, {
      ...options,
      threadId: threadId === undefined ? undefined : threadKey(threadId),
      after: requireKey(after, 'approval id'),
    });
  }

  /** Ids come from outside here: one that cannot be stored was never asked for. */
  findApproval(approvalId: string): Approval | undefined {
    return isKey(approvalId) ? findApproval(this.#connection, approvalId) : undefined;
  }

  /** Ids come from a model here, as those of approvals come from outside. */
  readArtifact(threadId: string, artifactId: string): Artifact | undefined {
    return isKey(artifactId)
      ? readArtifact(this.#connection, threadKey(threadId), artifactId)
      : undefined;
  }

  recordLate(threadId: string, callId: string, result: ToolResult): void {
    const values = [
      jsonText(result, 'result of a call'),
      this.#now(),
      threadKey(threadId),
      requireKey(callId, 'call id'),
    ];
    this.#connection.write(() =>
      this.#connection.run(
        `UPDATE ledger SET status = 'finished', result = ?, late = 1, at = ?
         WHERE thread = ? AND call_id = ? AND status = 'intended'`,
        values,
      ),
    );
  }

  deleteThread(threadId: string, token: number): void {
    deleteThread(this.#connection, threadKey(threadId), token);
  }

  rewriteThread(...[threadId, token, expectedVersion, rewrite]: RewriteArgs): void {
    const request = { threadId: threadKey(threadId), token, expectedVersion, rewrite };
    rewriteThread(this.#connection, request);
  }

  scrub(): void {
    scrub(this.#connection);
  }

  close(): void {
    if (!this.#connection.isOpen) return;
    try {
      // SQLite does this when the last connection goes, but libsql keeps its own until it is collected.
      this.#connection.exec('PRAGMA wal_checkpoint(PASSIVE)');
    } catch (error) {
      // On a full disk all of it stays in the log, where whoever opens the file next finds it.
      if (!(error instanceof StoreAccessError && error.code === 'store-full')) throw error;
    } finally {
      this.#connection.close();
    }
  }
}

function threadKey(threadId: string): string {
  return requireKey(threadId, 'thread id');
}

/** SQLite reads a limit below 0 as none. */
function sqlLimit(options: PageOptions): number {
  const limit = pageLimit(options.limit);
  return limit === Number.POSITIVE_INFINITY ? -1 : limit;
}
