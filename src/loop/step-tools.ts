import { TurnInterruptedError } from '../errors/interrupted.ts';
import type { EventBody } from '../events/event.ts';
import type { ToolResult } from '../protocol/tool.ts';
import { beginNextStep } from './begin-step.ts';
import type { LedgerNote } from './effect.ts';
import type { FinishedCall, LoopEvent } from './event.ts';
import type { Rules } from './rules.ts';
import { toolMessage } from './settle-batch.ts';
import type { Batch, ThreadState } from './state.ts';
import {
  closingEvents,
  commitThen,
  failed,
  finish,
  type Transition,
  type Writes,
} from './transition.ts';

/** Every call of the batch has its result: they enter the history together, in the order of the calls (L4). */
export function onToolsFinished(
  state: ThreadState,
  event: Extract<LoopEvent, { readonly type: 'tools.finished' }>,
  rules: Rules,
): Transition | undefined {
  const { phase } = state;
  if (phase.name !== 'running') return undefined;
  const { turn, batch, next } = phase;
  const results = new Map<string, ToolResult>();
  for (const { callId, result } of event.results) results.set(callId, result);
  const writes: Writes = {
    messages: [toolMessage(batch.calls, results)],
    ledger: ledgerOf(batch, results),
  };
  const events = event.results.map((finished) => finishedEvent(batch, finished));
  if (event.cancelled)
    return finish(state, turn, { ...writes, outcome: { status: 'cancelled' }, events, rules });
  if (next === undefined)
    return beginNextStep(state, turn, { ...writes, tick: event.tick, events, rules });
  const outcome = failed(new TurnInterruptedError(turn.turnId));
  return commitThen(
    state,
    { name: 'waiting', turn, next },
    {
      ...writes,
      turn,
      events: [...events, ...closingEvents(turn, outcome, false)],
      checkpoint: { name: 'finished', turn, outcome },
    },
  );
}

function ledgerOf(batch: Batch, results: ReadonlyMap<string, ToolResult>): readonly LedgerNote[] {
  const notes: LedgerNote[] = [];
  for (const { callId, sideEffects, inputDigest = '' } of batch.calls) {
    const result = results.get(callId);
    // An unknown outcome stays an intent, so that a late one can still be recorded.
    if (sideEffects !== 'once' || result === undefined || result.outcome === 'unknown') continue;
    notes.push({ callId, inputDigest, result });
  }
  return notes;
}

function finishedEvent(batch: Batch, finished: FinishedCall): EventBody {
  const { callId, result, durationMs } = finished;
  const toolName = batch.calls.find((call) => call.callId === callId)?.toolName ?? '';
  return result.outcome === 'succeeded'
    ? { type: 'tool.succeeded', callId, toolName, durationMs }
    : { type: 'tool.failed', callId, toolName, durationMs, outcome: result.outcome };
}
