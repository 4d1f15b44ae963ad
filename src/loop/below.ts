import { CorruptRecordError } from '../errors/store-error.ts';
import type { Approval } from '../protocol/approval.ts';
import type { ThreadStore } from '../stores/port.ts';
import { readState } from './read-state.ts';
import { openApprovals } from './result.ts';
import type { BatchCall, Phase, ThreadState } from './state.ts';

/** The one child thread of a call (L11). */
export function childThreadId(threadId: string, callId: string): string {
  return `${threadId}/${callId}`;
}

/** The calls of a stored batch whose subagents may not have ended. */
export function openChildCalls(phase: Phase): readonly BatchCall[] {
  if (phase.name !== 'running' && phase.name !== 'awaiting-child') return [];
  const { batch, finished = [] } = phase;
  return batch.calls.filter(
    ({ isChild, refusal, callId }) =>
      isChild === true && refusal === undefined && finished.every((one) => one.callId !== callId),
  );
}

/** True for a thread below which somebody may be waited for. */
export function mayWaitBelow(phase: Phase): boolean {
  return openChildCalls(phase).length > 0;
}

/** What the threads below a stored one wait for. */
export interface Below {
  readonly approvals: readonly Approval[];
  /** True when a thread below could go on: it has ended, was cut off or damaged, or its approval has run out. */
  readonly hasMoved: boolean;
}

interface Place {
  readonly ports: { readonly store: ThreadStore; readonly clock: { readonly now: () => number } };
  readonly state: ThreadState;
}

/** Looks at the threads below, all the way down. Whoever does holds the claim of the top one, so none of them moves. */
export async function lookBelow({ ports, state }: Place): Promise<Below> {
  const approvals: Approval[] = [];
  let hasMoved = false;
  for (const call of openChildCalls(state.phase)) {
    const below = await readBelow(ports.store, childThreadId(state.threadId, call.callId));
    if (CorruptRecordError.isInstance(below)) {
      // Nobody can go on with it, and its call says so.
      hasMoved = true;
      continue;
    }
    const own = below?.phase.name === 'awaiting-approval' ? openApprovals(below.phase.batch) : [];
    approvals.push(...own);
    const now = ports.clock.now();
    if (own.some(({ expiresAt = Number.POSITIVE_INFINITY }) => expiresAt <= now)) hasMoved = true;
    if (below === undefined || !waits(below.phase)) hasMoved = true;
    if (below === undefined || !mayWaitBelow(below.phase)) continue;
    const further = await lookBelow({ ports, state: below });
    approvals.push(...further.approvals);
    if (further.hasMoved) hasMoved = true;
  }
  return { approvals, hasMoved };
}

/** The ids of a thread and of those below it on which approvals may be open. Of one that is damaged none can be answered. */
export async function openThreads(
  store: ThreadStore,
  threadId: string,
  onDamaged: (error: CorruptRecordError) => void,
): Promise<readonly string[]> {
  const ids = [threadId];
  const lookInto = async (id: string, { phase }: ThreadState): Promise<void> => {
    for (const { callId } of openChildCalls(phase)) {
      const childId = childThreadId(id, callId);
      const below = await readBelow(store, childId);
      if (CorruptRecordError.isInstance(below)) {
        onDamaged(below);
        continue;
      }
      ids.push(childId);
      if (below !== undefined) await lookInto(childId, below);
    }
  };
  const state = await readThread(store, threadId);
  if (state !== undefined) await lookInto(threadId, state);
  return ids;
}

function waits({ name }: Phase): boolean {
  return name === 'awaiting-approval' || name === 'awaiting-child';
}

/** A thread below another one, whose damage is no reason for that one to stand still. */
export async function readBelow(
  store: ThreadStore,
  threadId: string,
): Promise<ThreadState | CorruptRecordError | undefined> {
  try {
    return await readThread(store, threadId);
  } catch (error) {
    if (CorruptRecordError.isInstance(error)) return error;
    throw error;
  }
}

export async function readThread(
  store: ThreadStore,
  threadId: string,
): Promise<ThreadState | undefined> {
  const stored = await store.load(threadId);
  return stored && readState(threadId, stored);
}
