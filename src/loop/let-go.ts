import { unreachable } from '../internal/unreachable.ts';
import type { CancelReason } from '../protocol/operation.ts';
import type { LoopEvent } from './event.ts';
import type { BatchCall, LetGo, Phase, ThreadState } from './state.ts';
import type { Transition } from './transition.ts';

/**
 * Cancels what a transition lets go of (L12). A batch is dropped in many ways, so none of them does it itself: what the
 * phase before held and the phase after does not is given up, before the commit that says so. After a crash between the
 * two it is given up again.
 */
export function letGo(before: ThreadState, event: LoopEvent, transition: Transition): Transition {
  const held = heldBefore(before.phase, event);
  if (held === undefined || held.every(hasNone)) return transition;
  const kept = holdsOperations(transition.state.phase) ?? [];
  const dropped = held.flatMap((call): LetGo[] => {
    if (hasNone(call)) return [];
    const now = kept.find(({ callId }) => callId === call.callId);
    if (now?.refusal === undefined && isSame(now, call)) return [];
    return [{ call, reason: reasonOf(now) }];
  });
  const turn = turnBefore(before.phase);
  if (dropped.length === 0 || turn === undefined) return transition;
  const cancelling = { type: 'cancel-operations', turn, dropped } as const;
  return { ...transition, effects: [cancelling, ...transition.effects] };
}

/** What the runner of an effect has answered for itself is not answered for here. */
function heldBefore(phase: Phase, event: LoopEvent): readonly BatchCall[] | undefined {
  switch (event.type) {
    case 'operations.prepared':
      return event.calls;
    case 'tools.finished':
    // Nothing was written: what the store holds names its operations, and whoever picks it up goes on with them.
    case 'commit.failed':
      return undefined;
    default:
      return holdsOperations(phase);
  }
}

/** The calls whose operations a phase keeps, or nothing for one that keeps no batch that may still run. */
function holdsOperations(phase: Phase): readonly BatchCall[] | undefined {
  switch (phase.name) {
    case 'preparing':
    case 'awaiting-approval':
    case 'rejudging':
    case 'running':
      return phase.batch.calls;
    case 'speaking':
      return phase.speech.kind === 'beside' ? phase.speech.batch.calls : undefined;
    case 'committing':
      return holdsOperations(phase.next);
    // Every call of the engine's own has its result by then.
    case 'awaiting-tools':
    case 'awaiting-child':
    case 'failing':
    case 'idle':
    case 'opening':
    case 'requesting':
    case 'compacting':
    case 'calling':
    case 'answering':
    case 'preflighting':
    case 'waiting':
    case 'finished':
      return undefined;
    default:
      return unreachable(phase, 'holdsOperations');
  }
}

function hasNone({ operation, refusal }: BatchCall): boolean {
  return operation === undefined || refusal !== undefined;
}

function isSame(now: BatchCall | undefined, before: BatchCall): boolean {
  return (
    now?.operation !== undefined && now.operation.operationId === before.operation?.operationId
  );
}

function reasonOf(now: BatchCall | undefined): CancelReason {
  if (now === undefined) return 'dropped';
  if (now.refusal === undefined) return 'replaced';
  const { outcome } = now.refusal;
  return outcome === 'denied' || outcome === 'blocked' ? 'refused' : 'dropped';
}

function turnBefore(phase: Phase) {
  return phase.name === 'idle' ? undefined : phase.turn;
}
