import { ThreadConflictError } from '../../errors/store-error.ts';
import type { Approval } from '../../protocol/approval.ts';
import type { CommitRows } from '../commit-rows.ts';
import { leaveOut, Page } from '../page.ts';
import type { ListOptions } from '../port.ts';
import { readApproval } from '../records.ts';
import type { RedisConnection } from './connection.ts';
import { approvalRow } from './records.ts';
import { PENDING } from './scripts.ts';

type ApprovalRows = CommitRows['approvals'];

/** How many of a list of all threads are looked at at once. */
const PAGE = 200;

/**
 * Says where approvals are, before they are there: found too early they are not read, found too late they would be
 * lost. An id that another thread has is refused.
 */
export async function announceApprovals(
  connection: RedisConnection,
  threadId: string,
  approvals: ApprovalRows,
): Promise<void> {
  const { keys } = connection;
  await Promise.all(
    approvals.map(async ([id, status]) => {
      const key = keys.approval(id);
      const isNew = await connection.call('SET', [key, threadId, 'NX']);
      if (isNew === null && (await connection.call('GET', [key])) !== threadId) {
        throw new ThreadConflictError(threadId, 'an approval id belongs to another thread');
      }
      if (status === 'open') await connection.call('ZADD', [keys.open, 0, member(id, threadId)]);
    }),
  );
}

/** Takes those that are settled from the list of open ones. Not needed for it to be right: each is looked at when it is read. */
export async function retireApprovals(
  connection: RedisConnection,
  threadId: string,
  approvals: ApprovalRows,
): Promise<void> {
  const settled = approvals.filter(([, status]) => status !== 'open');
  if (settled.length === 0) return;
  const members = settled.map(([id]) => member(id, threadId));
  // The commit is done, and a failure here must not say that it is not.
  await connection.call('ZREM', [connection.keys.open, ...members]).catch(() => undefined);
}

export async function findApproval(
  connection: RedisConnection,
  approvalId: string,
): Promise<Approval | undefined> {
  const threadId = await connection.call('GET', [connection.keys.approval(approvalId)]);
  return typeof threadId === 'string' ? readOne(connection, threadId, approvalId) : undefined;
}

export async function readOpenOfThread(
  connection: RedisConnection,
  threadId: string,
  options: OpenPage,
): Promise<readonly Approval[]> {
  const keys = connection.keys.of(threadId);
  const page = new Page(options, ([id, value]: readonly unknown[]) =>
    readApproval(approvalRow(threadId, String(id), value)),
  );
  let { after } = options;
  for (;;) {
    const found = await connection.run({
      script: PENDING,
      threadId,
      keys: [keys.open, keys.approvals],
      args: [`(${after}`, Number.isFinite(page.wanted) ? page.wanted : -1],
    });
    const rows: readonly (readonly unknown[])[] = Array.isArray(found) ? found : [];
    if (!page.add(rows)) return page.items;
    after = String(rows.at(-1)?.[0]);
  }
}

interface OpenPage {
  readonly after: string;
  /** `Infinity` for all. */
  readonly limit: number;
  readonly onDamaged: ListOptions['onDamaged'];
}

/** Reads on until the page is full, as the list may hold some that are not open. */
export async function readOpenOfAll(
  connection: RedisConnection,
  page: OpenPage,
): Promise<readonly Approval[]> {
  const open: Approval[] = [];
  // No id holds the separator, so this comes after every member of `after` and before those of any later id.
  let from = `[${page.after}\u0001`;
  while (open.length < page.limit) {
    const size = Math.min(PAGE, page.limit);
    const members = await connection.call('ZRANGEBYLEX', [
      connection.keys.open,
      from,
      '+',
      'LIMIT',
      0,
      size,
    ]);
    if (!Array.isArray(members) || members.length === 0) break;
    const found = await Promise.all(
      members.map((one) =>
        readMember(connection, String(one)).catch((error: unknown) =>
          leaveOut(error, page.onDamaged),
        ),
      ),
    );
    open.push(...found.filter((approval) => approval?.status === 'open').map(present));
    from = `(${members.at(-1)}`;
    if (members.length < size) break;
  }
  return open.slice(0, page.limit);
}

function present(approval: Approval | undefined): Approval {
  if (approval === undefined) throw new TypeError('filtered before');
  return approval;
}

function readMember(connection: RedisConnection, one: string): Promise<Approval | undefined> {
  const [id = '', threadId = ''] = one.split('\0');
  return readOne(connection, threadId, id);
}

async function readOne(
  connection: RedisConnection,
  threadId: string,
  id: string,
): Promise<Approval | undefined> {
  const { approvals } = connection.keys.of(threadId);
  const value = await connection.callOf(threadId, 'HGET', [approvals, id]);
  return value === null ? undefined : readApproval(approvalRow(threadId, id, value));
}

export function member(approvalId: string, threadId: string): string {
  return `${approvalId}\0${threadId}`;
}
