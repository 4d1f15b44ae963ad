import type { ToolResult } from '../protocol/tool.ts';
import type { BackgroundCall } from './background-state.ts';
import { invocationOf } from './invocation.ts';
import type { Batch, FinishedCall, ThreadState } from './state.ts';

/** What stands in the history for a call that goes on after its turn: its one result, for good. */
export const STILL_RUNNING: ToolResult = Object.freeze({
  outcome: 'running',
  isError: false,
  output: Object.freeze({ running: true }),
});

/** The state of a thread some of whose calls go on. */
export function withBackground(
  state: ThreadState,
  batch: Batch,
  finished: readonly FinishedCall[],
): ThreadState {
  if (finished.every(({ result }) => result.outcome !== 'running')) return state;
  const { length: size } = batch.calls;
  const going = batch.calls.flatMap((call, index): BackgroundCall[] => {
    const ended = finished.find(({ callId }) => callId === call.callId);
    if (ended?.result.outcome !== 'running') return [];
    const { locks } = call;
    const invocation = invocationOf(call, { index, size });
    return [{ invocation, ...(locks !== undefined && { locks }) }];
  });
  return { ...state, background: [...(state.background ?? []), ...going] };
}
