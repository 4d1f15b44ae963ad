import { openThreads } from '../loop/below.ts';
import type { Approval } from '../protocol/approval.ts';
import type { ThreadStore } from '../stores/port.ts';

interface Page {
  readonly threadId?: string;
  readonly after?: string;
  readonly limit?: number;
}

/** Open approvals by id: of all threads, or of one and the threads of its subagents, which it names. */
export async function listApprovals(
  store: ThreadStore,
  page: Page,
  hasSubagents: boolean,
): Promise<readonly Approval[]> {
  const { threadId, limit = Number.POSITIVE_INFINITY } = page;
  if (threadId === undefined || !hasSubagents) return store.pendingApprovals(page);
  const threads = await openThreads(store, threadId);
  const pages = await Promise.all(
    threads.map((id) => store.pendingApprovals({ ...page, threadId: id })),
  );
  const open = pages.flat();
  if (pages.length > 1) open.sort((a, b) => (a.approvalId < b.approvalId ? -1 : 1));
  return open.slice(0, limit);
}
