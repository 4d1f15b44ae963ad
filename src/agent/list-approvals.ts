import { ConfigError } from '../errors/config-error.ts';
import { openThreads } from '../loop/below.ts';
import { isChildTool } from '../loop/child-tool.ts';
import type { Ports } from '../loop/ports.ts';
import type { Approval } from '../protocol/approval.ts';
import { checkKeys } from './check-keys.ts';

interface Page {
  readonly threadId?: string;
  readonly after?: string;
  readonly limit?: number;
}

/** Approvals that can still be answered, by id: of all threads, or of one and the threads of its subagents. */
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
  checkKeys('agent.pendingApprovals', page, ['threadId', 'after', 'limit']);
  const now = ports.clock.now();
  const open = await readOpen(ports, page);
  return open.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now);
}

/** Names the threads of subagents, so that no other thread is looked at. */
async function readOpen(
  { store, tools }: Pick<Ports, 'store' | 'tools'>,
  page: Page,
): Promise<readonly Approval[]> {
  const { threadId, limit = Number.POSITIVE_INFINITY } = page;
  const hasSubagents = tools.names.some((name) => isChildTool(tools.get(name)));
  if (threadId === undefined || !hasSubagents) return store.pendingApprovals(page);
  const threads = await openThreads(store, threadId);
  const pages = await Promise.all(
    threads.map((id) => store.pendingApprovals({ ...page, threadId: id })),
  );
  const open = pages.flat();
  if (pages.length > 1) open.sort((a, b) => (a.approvalId < b.approvalId ? -1 : 1));
  return open.slice(0, limit);
}
