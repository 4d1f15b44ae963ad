import { TurnInterruptedError } from '../errors/interrupted.ts';
import type { EventBody } from '../events/event.ts';
import { joinLists } from '../internal/join-lists.ts';
import type { Artifact } from '../protocol/artifact.ts';
import type { AfterCall } from './after-call-state.ts';
import { withAnnounced } from './announced.ts';
import { awaitHost, neverHanded } from './await-host.ts';
import { toldReason } from './call-outcomes.ts';
import type { LoopEvent } from './event.ts';
import { withBackground } from './go-on.ts';
import type { Outcome } from './outcome.ts';
import type { Rules } from './rules.ts';
import { finishedCalls, refusedEvent, toolMessage } from './settle-batch.ts';
import type { Batch, BatchCall, FinishedCall, LedgerNote, ThreadState } from './state.ts';
import { goOn, withEnd } from './step-after-tools.ts';
import { awaitChildren, countChildren } from './step-children.ts';
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
  running: ThreadState,
  event: Extract<LoopEvent, { readonly type: 'tools.finished' }>,
  rules: Rules,
): Transition | undefined {
  const { announced } = event;
  const before = announced === undefined ? running : withAnnounced(running, announced);
  const { phase } = before;
  if (phase.name !== 'running') return undefined;
  const { batch, next } = phase;
  const { tick, values, said } = event;
  const written = values === undefined ? before : { ...before, values };
  const state = withBackground(written, batch, event.results);
  const counted =
    event.children === undefined ? phase : countChildren(state, phase, { event, rules });
  const { children = [] } = counted;
  const paid = 'state' in counted ? counted.state : state;
  let finished =
    phase.finished === undefined ? event.results : [...phase.finished, ...event.results];
  if (event.waits === true) {
    const { messages: _notYet, ...writes } = writesOf(batch, finished);
    return awaitChildren(paid, counted.turn, { ...writes, batch, finished, children, tick });
  }
  if (event.handed !== undefined) {
    const { handed } = event;
    if (event.cancelled || next !== undefined) finished = [...finished, ...neverHanded(handed)];
    else {
      const { messages: _notYet, ...writes } = writesOf(batch, finished);
      const waiting = { ...writes, batch, finished, handed, children, tick };
      return awaitHost(paid, counted.turn, waiting);
    }
  }
  const turn = withEnd(counted.turn, finished, batch.calls);
  // Nobody is asked what becomes of a turn that ends anyway.
  if (!event.cancelled && next === undefined && finished.some(hasFailed))
    return enter(paid, {
      name: 'failing',
      turn,
      failure: { kind: 'tools', batch, finished, ...(said !== undefined && { said }) },
    });
  const writes = writesOf(batch, finished);
  if (event.cancelled)
    return finish(paid, turn, { ...writes, outcome: { status: 'cancelled' }, rules });
  if (next === undefined) return goOn(paid, turn, { ...writes, finished, said, tick, rules });
  const outcome: Outcome =
    next.supersedes === true
      ? { status: 'cancelled' }
      : failed(new TurnInterruptedError(turn.turnId));
  return commitThen(
    paid,
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
  return {
    messages: [toolMessage(batch.calls, finished)],
    ledger: ledgerOf(batch, finished),
    events: eventsOf(batch, finished),
    artifacts: artifactsOf(finished),
  };
}

function artifactsOf(finished: readonly FinishedCall[]): readonly Artifact[] | undefined {
  if (finished.every(({ artifact }) => artifact === undefined)) return undefined;
  return finished.flatMap(({ artifact }) => artifact ?? []);
}

function hasFailed({ result }: FinishedCall): boolean {
  return result.outcome === 'failed';
}

function ledgerOf(batch: Batch, finished: readonly FinishedCall[]): readonly LedgerNote[] {
  const notes: LedgerNote[] = [];
  const find = finishedCalls(finished);
  for (const call of batch.calls) {
    const { callId, sideEffects, inputDigest = '' } = call;
    const ended = sideEffects === 'once' ? find(call) : undefined;
    const result = ended?.recorded ?? ended?.result;
    // An unknown outcome stays an intent, so that a late one can still be recorded.
    if (result === undefined || result.outcome === 'unknown' || result.outcome === 'running')
      continue;
    notes.push({ callId, inputDigest, result });
  }
  return notes;
}

function eventsOf(batch: Batch, finished: readonly FinishedCall[]): readonly EventBody[] {
  const find = finishedCalls(finished);
  const events = batch.calls.map((call): readonly EventBody[] => {
    const ended = find(call);
    // The end of one that goes on is told when it is there.
    if (ended === undefined || ended.told === true || ended.result.outcome === 'running') return [];
    const refused = ended.after?.saveRefused;
    const end = endOf(call, ended);
    return refused === undefined ? end : [...end, saveRefusedEvent(call, refused)];
  });
  return joinLists(events);
}

/** What was to be said before a call keeps its start from the record until then, and a refusal from having one. */
function endOf(call: BatchCall, ended: FinishedCall): readonly EventBody[] {
  const { callId, toolName, announce } = call;
  const end = finishedEvent(toolName, ended);
  if (announce === undefined || announce === 'done') return [end];
  const { outcome } = ended.result;
  if (announce === 'refused' && outcome === 'invalid')
    return [refusedEvent(call, { outcome, by: 'agent', reason: ended.reason ?? '' })];
  return [{ type: 'tool.started', callId, toolName, source: 'model' }, end];
}

function saveRefusedEvent(
  { callId, toolName }: BatchCall,
  { field, reason }: NonNullable<AfterCall['saveRefused']>,
): EventBody {
  return { type: 'tool.save-refused', callId, toolName, source: 'model', field, reason };
}

function finishedEvent(toolName: string, finished: FinishedCall): EventBody {
  const { callId, result, durationMs, reason, recorded } = finished;
  const prechecked = recorded?.prechecked === true && { prechecked: true as const };
  if (result.outcome === 'succeeded')
    return {
      type: 'tool.succeeded',
      callId,
      toolName,
      source: 'model',
      durationMs,
      ...prechecked,
    };
  return {
    type: 'tool.failed',
    callId,
    toolName,
    source: 'model',
    durationMs,
    outcome: result.outcome,
    ...toldReason(result, reason),
    ...prechecked,
  };
}
