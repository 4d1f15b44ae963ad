import { totalTokens } from '../protocol/usage.ts';
import type { LoopEvent } from './event.ts';
import type { Rules } from './rules.ts';
import { spendBelow, spentSince } from './spend.ts';
import type { CountedChild } from './spent-state.ts';
import type { Batch, FinishedCall, OpenTurn, Phase, ThreadState } from './state.ts';
import { commitThen, type Transition, type Writes } from './transition.ts';

type ToolsFinished = Extract<LoopEvent, { readonly type: 'tools.finished' }>;
type Running = Extract<Phase, { readonly name: 'running' }>;

/** A batch of which some of the use of its subagents has been counted. */
type Counted = Pick<Running, 'turn' | 'children'>;

/** Counts what the subagents of the batch have used since they were counted last, whatever came of them (L11). */
export function countChildren(
  state: ThreadState,
  { turn, children: before = [] }: Counted,
  { event, rules }: { readonly event: Pick<ToolsFinished, 'children'>; readonly rules: Rules },
): {
  readonly state: ThreadState;
  readonly turn: OpenTurn;
  readonly children: readonly CountedChild[];
} {
  const { children = [] } = event;
  let paid = { state, turn };
  for (const now of children) {
    const counted = before.find(({ callId }) => callId === now.callId);
    const more = spentSince(counted, now);
    if (more.steps > 0 || totalTokens(more.usage) > 0)
      paid = spendBelow(paid.state, paid.turn, { ...more, rules });
  }
  const isSeen = (one: CountedChild): boolean => children.some((now) => now.callId === one.callId);
  return { ...paid, children: [...before.filter((one) => !isSeen(one)), ...children] };
}

/** Stores what is done of a batch of which a subagent waits for a person; time stands still meanwhile. */
export function awaitChildren(
  state: ThreadState,
  turn: OpenTurn,
  wait: Writes & {
    readonly batch: Batch;
    readonly finished: readonly FinishedCall[];
    readonly children: readonly CountedChild[];
    readonly events: Parameters<typeof commitThen>[2]['events'];
    readonly tick: number;
  },
): Transition {
  const { batch, children, events, ledger, artifacts, tick } = wait;
  const finished = wait.finished.map(
    ({ artifact: _stored, ...one }): FinishedCall => ({ ...one, told: true }),
  );
  const stopped: OpenTurn = { ...turn, activeMs: turn.activeMs + tick - turn.activeSince };
  return commitThen(
    state,
    { name: 'awaiting-child', turn: stopped, batch, finished, children },
    { turn, events, ledger, artifacts },
  );
}
