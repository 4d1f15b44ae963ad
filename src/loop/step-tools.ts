import { TurnInterruptedError } from '../errors/interrupted.ts';
import type { EventBody } from '../events/event.ts';
import type { ToolResult } from '../protocol/tool.ts';
import { beginNextStep } from './begin-step.ts';
import type { LoopEvent } from './event.ts';
import type { Rules } from './rules.ts';
import { toolMessage } from './settle-batch.ts';
import type { Batch, FinishedCall, LedgerNote, ThreadState } from './state.ts';
import {
  closingEvents,
  commitThen,
  enter,
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
  const { results: finished, tick } = event;
  // Nobody is asked what becomes of a turn that ends anyway.
  if (!event.cancelled && next === undefined && finished.some(hasFailed))
    return enter(state, { name: 'failing', turn, failure: { kind: 'tools', batch, finished } });
  const writes = writesOf(batch, finished);
  if (event.cancelled)
    return finish(state, turn, { ...writes, outcome: { status: 'cancelled' }, rules });
  if (next === undefined) return beginNextStep(state, turn, { ...writes, tick, rules });
  const outcome = failed(new TurnInterruptedError(turn.turnId));
  return commitThen(
    state,
    { name: 'waiting', turn, next },
    {
      ...writes,
      turn,
      events: [...writes.events, ...closingEvents(turn, outcome, false)],
      checkpoint: { name: 'finished', turn, outcome },
    },
  );
}

/** What a batch that is over leaves: its results, and what the ledger and the record tell of them. */
export function writesOf(
  batch: Batch,
  finished: readonly FinishedCall[],
): Writes & { readonly events: readonly EventBody[] } {
  const results = new Map<string, ToolResult>();
  const recorded = new Map<string, ToolResult>();
  for (const one of finished) {
    results.set(one.callId, one.result);
    recorded.set(one.callId, one.recorded ?? one.result);
  }
  return {
    messages: [toolMessage(batch.calls, results)],
    ledger: ledgerOf(batch, recorded),
    events: finished.map((one) => finishedEvent(batch, one)),
  };
}

function hasFailed({ result }: FinishedCall): boolean {
  return result.outcome === 'failed';
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
