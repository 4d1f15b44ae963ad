import { checkKeys } from '../errors/check-keys.ts';
import { ConfigError } from '../errors/config-error.ts';
import type { CorruptRecordError } from '../errors/store-error.ts';
import type { MaybePromise } from '../internal/maybe-promise.ts';
import { openThreads } from '../loop/below.ts';
import { isChildTool } from '../loop/child-tool.ts';
import type { Ports } from '../loop/ports.ts';
import type { Approval } from '../protocol/approval.ts';

interface Cursor {
  readonly after?: string;
  readonly limit?: number;
  readonly onDamaged?: (error: CorruptRecordError) => void;
}

interface Page extends Cursor {
  readonly threadId?: string;
}

/** Approvals that can still be answered, by id: of all threads, or of one and the threads of its subagents. A page that is not full is the last. */
export async function listApprovals(
  ports: Pick<Ports, 'store' | 'tools' | 'clock'>,
  page: Page,
): Promise<readonly Approval[]> {
  if (typeof page !== 'object' || page === null) {
    throw new ConfigError('invalid-input', {
      where: 'agent.pendingApprovals',
      what: 'it was called without an object',
      fix: 'Pass `{ threadId }`, or nothing for the approvals of all threads',
    });
  }
  checkKeys('agent.pendingApprovals', page, ['threadId', 'after', 'limit', 'onDamaged']);
  const { threadId, onDamaged = warn, ...from } = page;
  if (typeof onDamaged !== 'function') throw noFunction();
  const first: Cursor = { ...from, onDamaged };
  const { limit = Number.POSITIVE_INFINITY } = first;
  const read = await readerOf(ports, threadId, onDamaged);
  const now = ports.clock.now();
  const open: Approval[] = [];
  // Read on until the page is full: one that seems to be the last would hide those behind the expired ones.
  for (let cursor: Cursor = first; ; ) {
    const found = await read(cursor);
    open.push(...found.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now));
    const last = found.at(-1);
    const isLast = last === undefined || found.length < (cursor.limit ?? Number.POSITIVE_INFINITY);
    if (isLast || open.length >= limit) return open.slice(0, limit);
    cursor = { after: last.approvalId, limit: Math.max(limit, FURTHER), onDamaged };
  }
}

/** How many are looked at together once a page had expired ones in it. */
const FURTHER = 100;

/** Left out without a word, nobody would look for it. Its message quotes nothing that was stored. */
function warn(error: CorruptRecordError): void {
  process.emitWarning(`an approval cannot be read and was left out: ${error.message}`, {
    code: 'AGENT_HOOKS_DAMAGED',
  });
}

function noFunction(): ConfigError {
  return new ConfigError('invalid-option', {
    where: 'agent.pendingApprovals',
    what: '`onDamaged` is no function',
    fix: 'Pass one that is given the error of a record, or leave it out',
  });
}

/** Reads what is stored as open, by id. Names the threads of subagents, so that no other thread is looked at. */
async function readerOf(
  { store, tools }: Pick<Ports, 'store' | 'tools'>,
  threadId: string | undefined,
  onDamaged: NonNullable<Cursor['onDamaged']>,
): Promise<(cursor: Cursor) => MaybePromise<readonly Approval[]>> {
  if (threadId === undefined) return (cursor) => store.pendingApprovals(cursor);
  const hasSubagents = tools.names.some((name) => isChildTool(tools.get(name)));
  const threads = hasSubagents ? await openThreads(store, threadId, onDamaged) : [threadId];
  return async (cursor) => {
    const pages = await Promise.all(
      threads.map((id) => store.pendingApprovals({ ...cursor, threadId: id })),
    );
    const open = pages.flat();
    if (pages.length > 1) open.sort((a, b) => (a.approvalId < b.approvalId ? -1 : 1));
    return open.slice(0, cursor.limit);
  };
}
