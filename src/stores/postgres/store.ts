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
import { Opening } from '../remote/opening.ts';
import { writeCommit } from './commit.ts';
import { PostgresCounters } from './counters.ts';
import type { Database } from './database.ts';
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
import { setUp } from './set-up.ts';

/** The port on one database. Whatever comes first makes the tables ready. */
export class PostgresStore implements ThreadStore {
  readonly counters: Counters;
  readonly #database: Database;
  readonly #opening: Opening<Database>;
  readonly #now: () => number | null;

  constructor(database: Database, now: (() => number) | undefined) {
    this.#database = database;
    this.#now = now ?? (() => null);
    this.#opening = new Opening(async () => {
      await setUp(database);
      return database;
    });
    this.counters = new PostgresCounters(this.#opening, this.#now);
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
    const values = [threadKey(threadId), options.after ?? 0, sqlLimit(options)];
    const { query, schema } = await this.#ready();
    const rows = await query(
      `SELECT position, json FROM ${schema}.messages
       WHERE thread = $1 AND position > $2 ORDER BY position LIMIT $3`,
      values,
    );
    return rows.map((row) => readMessage(row, threadId));
  }

  async readEvents(
    threadId: string,
    options: PageOptions & { readonly after?: number } = {},
  ): Promise<readonly AgentEvent[]> {
    const values = [threadKey(threadId), options.after ?? 0, sqlLimit(options)];
    const { query, schema } = await this.#ready();
    const rows = await query(
      `SELECT seq, json FROM ${schema}.events
       WHERE thread = $1 AND seq > $2 ORDER BY seq LIMIT $3`,
      values,
    );
    return rows.map((row) => readEvent(row, threadId));
  }

  async readLedger(threadId: string, callIds: readonly string[]): Promise<readonly LedgerEntry[]> {
    return readLedger(await this.#opening.ready(), threadKey(threadId), callIds.filter(isKey));
  }

  async listThreads(
    options: ListOptions & { readonly after?: string } = {},
  ): Promise<readonly { readonly threadId: string; readonly version: number }[]> {
    pageLimit(options.limit);
    const after = options.after === undefined ? null : threadKey(options.after);
    return readThreadPage(await this.#opening.ready(), { ...options, after });
  }

  async pendingApprovals(
    options: ListOptions & { readonly threadId?: string; readonly after?: string } = {},
  ): Promise<readonly Approval[]> {
    const { threadId, after = '' } = options;
    pageLimit(options.limit);
    const page = {
      ...options,
      threadId: threadId === undefined ? undefined : threadKey(threadId),
      after: requireKey(after, 'approval id'),
    };
    return readOpenApprovals(await this.#opening.ready(), page);
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
    const values = [
      jsonText(result, 'result of a call'),
      threadKey(threadId),
      requireKey(callId, 'call id'),
      this.#now(),
    ];
    const { query, schema } = await this.#ready();
    await query(
      `UPDATE ${schema}.ledger SET status = 'finished', result = $1, late = 1,
         at = coalesce($4::float8, floor(extract(epoch FROM clock_timestamp()) * 1000))
       WHERE thread = $2 AND call_id = $3 AND status = 'intended'`,
      values,
    );
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
    return this.#database.close();
  }

  async #ready(): Promise<{ readonly query: Database['query']; readonly schema: string }> {
    const database = await this.#opening.ready();
    return { query: database.query.bind(database), schema: database.schema };
  }
}

function threadKey(threadId: string): string {
  return requireKey(threadId, 'thread id');
}

/** SQL reads a limit of NULL as none. */
function sqlLimit(options: PageOptions): number | null {
  const limit = pageLimit(options.limit);
  return limit === Number.POSITIVE_INFINITY ? null : limit;
}
