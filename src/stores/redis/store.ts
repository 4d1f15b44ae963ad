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
import { Opening } from '../remote/opening.ts';
import { findApproval, readOpenOfAll, readOpenOfThread } from './approvals.ts';
import { writeCommit } from './commit.ts';
import type { RedisConnection } from './connection.ts';
import { RedisCounters } from './counters.ts';
import { deleteThread, rewriteThread } from './erase.ts';
import { claim, release, renew } from './leases.ts';
import {
  listThreads,
  loadThread,
  readArtifact,
  readEvents,
  readLedger,
  readMessages,
} from './reads.ts';
import { RECORD_LATE } from './scripts.ts';
import { setUp } from './set-up.ts';

/** The port on one server or cluster. Whatever comes first looks at the format. */
export class RedisStore implements ThreadStore {
  readonly counters: Counters;
  readonly #connection: RedisConnection;
  readonly #opening: Opening<RedisConnection>;
  readonly #now: () => number | '';

  constructor(connection: RedisConnection, now: (() => number) | undefined) {
    this.#connection = connection;
    this.#now = now ?? (() => '');
    this.#opening = new Opening(async () => {
      await setUp(connection);
      return connection;
    });
    this.counters = new RedisCounters(this.#opening, this.#now);
  }

  async open(): Promise<void> {
    await this.#opening.ready();
  }

  async claim(
    threadId: string,
    lease: { readonly holder: string; readonly ttlMs: number },
  ): Promise<Claim> {
    const { ttlMs } = lease;
    const holder = requireKey(lease.holder, 'holder of a claim');
    leaseEnd(0, ttlMs);
    const request = { threadId: threadKey(threadId), holder, ttlMs, now: this.#now() };
    return claim(await this.#opening.ready(), request);
  }

  async renew(threadId: string, token: number, ttlMs: number): Promise<void> {
    leaseEnd(0, ttlMs);
    const request = { threadId: threadKey(threadId), token, ttlMs, now: this.#now() };
    return renew(await this.#opening.ready(), request);
  }

  async release(threadId: string, token: number): Promise<void> {
    return release(await this.#opening.ready(), threadKey(threadId), token);
  }

  async load(threadId: string): Promise<StoredThread | undefined> {
    return loadThread(await this.#opening.ready(), threadKey(threadId));
  }

  async commit(
    ...[threadId, token, expectedVersion, changes]: Parameters<ThreadStore['commit']>
  ): Promise<void> {
    const commit = { threadId: threadKey(threadId), token, expectedVersion, changes };
    return writeCommit(await this.#opening.ready(), commit);
  }

  async readMessages(
    threadId: string,
    options: PageOptions & { readonly after?: number } = {},
  ): Promise<readonly Message[]> {
    const page = { after: options.after ?? 0, limit: pageLimit(options.limit) };
    const thread = threadKey(threadId);
    return readMessages(await this.#opening.ready(), thread, page);
  }

  async readEvents(
    threadId: string,
    options: PageOptions & { readonly after?: number } = {},
  ): Promise<readonly AgentEvent[]> {
    const page = { after: options.after ?? 0, limit: pageLimit(options.limit) };
    const thread = threadKey(threadId);
    return readEvents(await this.#opening.ready(), thread, page);
  }

  async readLedger(threadId: string, callIds: readonly string[]): Promise<readonly LedgerEntry[]> {
    return readLedger(await this.#opening.ready(), threadKey(threadId), callIds.filter(isKey));
  }

  async listThreads(
    options: ListOptions & { readonly after?: string } = {},
  ): Promise<readonly { readonly threadId: string; readonly version: number }[]> {
    const { after, onDamaged } = options;
    const page = {
      onDamaged,
      after: after === undefined ? undefined : threadKey(after),
      limit: pageLimit(options.limit),
    };
    return listThreads(await this.#opening.ready(), page);
  }

  async pendingApprovals(
    options: ListOptions & { readonly threadId?: string; readonly after?: string } = {},
  ): Promise<readonly Approval[]> {
    const { threadId, after = '', onDamaged } = options;
    const limit = pageLimit(options.limit);
    const page = { after: requireKey(after, 'approval id'), limit, onDamaged };
    const connection = await this.#opening.ready();
    return threadId === undefined
      ? readOpenOfAll(connection, page)
      : readOpenOfThread(connection, threadKey(threadId), page);
  }

  /** Ids come from outside here: one that cannot be stored was never asked for. */
  async findApproval(approvalId: string): Promise<Approval | undefined> {
    return isKey(approvalId) ? findApproval(await this.#opening.ready(), approvalId) : undefined;
  }

  /** Ids come from a model here, as those of approvals come from outside. */
  async readArtifact(threadId: string, artifactId: string): Promise<Artifact | undefined> {
    const thread = threadKey(threadId);
    return isKey(artifactId)
      ? readArtifact(await this.#opening.ready(), thread, artifactId)
      : undefined;
  }

  async recordLate(threadId: string, callId: string, result: ToolResult): Promise<void> {
    const args = [requireKey(callId, 'call id'), jsonText(result, 'result of a call'), this.#now()];
    const thread = threadKey(threadId);
    const connection = await this.#opening.ready();
    const { ledger } = connection.keys.of(thread);
    await connection.run({ script: RECORD_LATE, threadId: thread, keys: [ledger], args });
  }

  async deleteThread(threadId: string, token: number): Promise<void> {
    return deleteThread(await this.#opening.ready(), threadKey(threadId), token);
  }

  async rewriteThread(
    ...[threadId, token, expectedVersion, rewrite]: Parameters<ThreadStore['rewriteThread']>
  ): Promise<void> {
    const request = { threadId: threadKey(threadId), token, expectedVersion, rewrite };
    return rewriteThread(await this.#opening.ready(), request);
  }

  close(): Promise<void> {
    return this.#connection.close();
  }
}

function threadKey(threadId: string): string {
  return requireKey(threadId, 'thread id');
}
