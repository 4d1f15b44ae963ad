import type { CorruptRecordError } from '../../errors/store-error.ts';
import { ThreadError, UnknownThreadError } from '../../errors/thread-error.ts';
import { childThreadId } from '../../loop/below.ts';
import type { ParentCall } from '../../loop/state.ts';
import type { StoredThread, ThreadStore } from '../../stores/port.ts';

/*
 * What is kept of one conversation is more than one thread: each call of a subagent, ever, has a thread of its own. Its id
 * begins with that of its caller, but so may the id of a thread of the app; which is which, its state says. Nobody runs a
 * thread of a subagent without the claim of the outermost one, so that claim holds for all of them.
 */

const PAGE = 100;

/**
 * The threads of subagents of a thread, all the way down, callers first. One page of them at a time. Throws for one that
 * cannot be read and may be of them; what is damaged of other threads stops nobody.
 */
export async function* threadsBelow(
  store: ThreadStore,
  topId: string,
): AsyncGenerator<StoredThread, void> {
  const prefix = `${topId}/`;
  const damaged: CorruptRecordError[] = [];
  const onDamaged = (error: CorruptRecordError) => {
    if (error.threadId.startsWith(prefix)) damaged.push(error);
  };
  let after = prefix;
  for (;;) {
    const page = await store.listThreads({ after, limit: PAGE, onDamaged });
    if (damaged[0] !== undefined) throw damaged[0];
    for (const { threadId } of page) {
      if (!threadId.startsWith(prefix)) return;
      after = threadId;
      const stored = await store.load(threadId);
      if (stored !== undefined && parentOf(stored)?.topThreadId === topId) yield stored;
    }
    if (page.length < PAGE) return;
  }
}

/** A thread with everything its subagents hold is asked for by its own id only. */
export function requireTop(stored: StoredThread): void {
  const parent = parentOf(stored);
  if (parent === undefined) return;
  throw new ThreadError('child-thread', {
    where: `thread '${stored.threadId}'`,
    what: 'it belongs to a call of a subagent',
    fix: `Name thread '${parent.topThreadId}', which takes it along`,
  });
}

export async function loadTop(store: ThreadStore, threadId: string): Promise<StoredThread> {
  const stored = await store.load(threadId);
  if (stored === undefined) throw new UnknownThreadError(threadId);
  requireTop(stored);
  return stored;
}

/** The call a thread is run for, looked at as far as it is used here: the rest of the state may be unreadable. */
export function parentOf({ threadId, state }: StoredThread): ParentCall | undefined {
  const parent = state['parent'] as Partial<ParentCall> | undefined;
  if (typeof parent !== 'object' || parent === null) return undefined;
  const { threadId: above, callId, topThreadId } = parent;
  if (typeof above !== 'string' || typeof callId !== 'string' || typeof topThreadId !== 'string')
    return undefined;
  return childThreadId(above, callId) === threadId ? (parent as ParentCall) : undefined;
}

/** Under which a thread of a subagent is claimed: whoever has that of its caller takes it over. */
export function holderBelow(stored: StoredThread): string {
  return `below ${parentOf(stored)?.threadId ?? ''}`;
}
