import type { ToolResult } from '../protocol/tool.ts';
import { CANCELLED } from './call-outcomes.ts';
import type { HandedCall } from './host-state.ts';
import type { CountedChild } from './spent-state.ts';
import type { Batch, FinishedCall, OpenTurn, ThreadState } from './state.ts';
import { commitThen, type Transition, type Writes } from './transition.ts';

/** Stores what is done of a batch of which the host runs the rest; time stands still meanwhile. */
export function awaitHost(
  state: ThreadState,
  turn: OpenTurn,
  wait: Writes & {
    readonly batch: Batch;
    readonly finished: readonly FinishedCall[];
    readonly handed: readonly HandedCall[];
    readonly children: readonly CountedChild[];
    readonly events: Parameters<typeof commitThen>[2]['events'];
    readonly tick: number;
  },
): Transition {
  const { batch, handed, children, events, ledger, artifacts, tick } = wait;
  const finished = wait.finished.map(
    ({ artifact: _stored, ...one }): FinishedCall => ({ ...one, told: true }),
  );
  const stopped: OpenTurn = { ...turn, activeMs: turn.activeMs + tick - turn.activeSince };
  return commitThen(
    state,
    {
      name: 'awaiting-tools',
      turn: stopped,
      batch,
      finished,
      handed,
      ...(children.length > 0 && { children }),
    },
    { turn, events, ledger, artifacts },
  );
}

/** How calls end that nobody handed out: the turn ended before that was stored. */
export function neverHanded(handed: readonly HandedCall[]): readonly FinishedCall[] {
  return handed.map(({ callId }) => ({ callId, result: CANCELLED, durationMs: 0, started: false }));
}

/** How calls end that the host may be running, or may have run. */
export function givenUp({ calls }: Batch, handed: readonly HandedCall[]): readonly FinishedCall[] {
  return handed.map(({ callId }) => {
    const call = calls.find((one) => one.callId === callId);
    const result = call?.sideEffects === 'once' ? MAY_HAVE_RUN : CANCELLED;
    return { callId, result, durationMs: 0, started: false };
  });
}

export const MAY_HAVE_RUN: ToolResult = Object.freeze({
  outcome: 'unknown',
  isError: true,
  output:
    'Outcome unknown: the call was given up after it was handed out, and may have been carried out. Do not repeat it before that has been checked',
});
