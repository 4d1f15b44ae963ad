import { jsonEqual } from '../internal/json-equal.ts';
import { NO_USAGE } from '../protocol/usage.ts';
import type { JudgedCall, LoopEvent } from './event.ts';
import type { Rules } from './rules.ts';
import type { Batch, BatchCall, OpenTurn, Phase, ThreadState } from './state.ts';
import { settleCancelled } from './step-cancel.ts';
import { commitThen, enter, type Transition } from './transition.ts';

type Of<Type extends LoopEvent['type']> = Extract<LoopEvent, { readonly type: Type }>;
type Preparing = Extract<Phase, { readonly name: 'preparing' }>;

/** How often a batch is prepared anew because a policy has changed an input, before it is too often. */
const MAX_ROUNDS = 3;

/**
 * The calls of a response are read and fit their schemas, and some of them prepare an operation first. The batch is
 * stored before the first of them begins, so that another process knows that it may have.
 */
export function onBatchRead(state: ThreadState, event: Of<'batch.read'>): Transition | undefined {
  const { phase } = state;
  if (phase.name !== 'preflighting') return undefined;
  const { turn, attempt, response } = phase;
  const { content, text, usage } = response;
  const shown = event.shown === true && { shown: true as const };
  const batch: Batch = { content, text, calls: event.calls, pauses: 0, ...shown };
  const preparing: Preparing = { name: 'preparing', turn, attempt, batch, usage };
  return batch.calls.some(isToPrepare)
    ? commitThen(state, preparing, { turn, events: [] })
    : enter(state, { ...preparing, prepared: true });
}

/** Everything is prepared, or has failed to be. It is stored before anybody is asked about it. */
export function onOperationsPrepared(
  state: ThreadState,
  event: Of<'operations.prepared'>,
  rules: Rules,
): Transition | undefined {
  const { phase } = state;
  if (phase.name !== 'preparing' || phase.prepared === true) return undefined;
  const { turn } = phase;
  const { calls } = event;
  if (event.cancelled)
    return settleCancelled(state, turn, { batch: { ...phase.batch, calls }, rules });
  if (phase.answered !== true) {
    const batch = { ...phase.batch, calls };
    return commitThen(state, { ...phase, batch, prepared: true }, { turn, events: [] });
  }
  const batch = { ...phase.batch, calls: calls.map(withoutVoidAnswer) };
  return commitThen(state, { name: 'rejudging', turn, batch }, { turn, events: [] });
}

/** Nobody has approved what is not what the person was shown: to policies it is a call that nobody has seen. */
function withoutVoidAnswer(call: BatchCall): BatchCall {
  const { approval, granted, operation } = call;
  if (operation === undefined || approval === undefined) return call;
  const seen = approval.prepared;
  const now = operation.prepared;
  const isSeen =
    seen?.operationId === now?.operationId &&
    seen?.revision === now?.revision &&
    jsonEqual(seen?.snapshot ?? null, now?.snapshot ?? null) &&
    jsonEqual(approval.input, call.effectiveInput);
  if (isSeen) return call;
  const { approval: _void, granted: _voidToo, ...rest } = call;
  return granted === undefined ? call : rest;
}

/** Goes on with a batch that has its answers: its operations are read again first, as they may be others by now. */
export function rejudge(
  turn: OpenTurn,
  batch: Batch,
): Extract<Phase, { readonly name: 'rejudging' }> | Preparing {
  if (!batch.calls.some(isToPrepare)) return { name: 'rejudging', turn, batch };
  return { name: 'preparing', turn, attempt: 1, batch, usage: NO_USAGE, answered: true };
}

/** In another process, what was prepared is read again before anybody judges it. */
export function resumePreparing({ prepared: _unread, ...phase }: Preparing): Preparing {
  return phase;
}

export function isToPrepare({ isListen, refusal }: BatchCall): boolean {
  return isListen === true && refusal === undefined;
}

/**
 * Prepares a batch anew where a policy has changed an input after its operation was prepared: what nobody has seen is
 * not carried out. Nothing where no policy has. Too often, and the call is blocked.
 */
export function prepareAnew(
  state: ThreadState,
  phase: Extract<Phase, { readonly name: 'preparing' | 'rejudging' }>,
  judged: readonly JudgedCall[],
): Transition | undefined {
  if (!judged.some(isOutdated)) return undefined;
  const { turn } = phase;
  const { rounds = 0 } = phase.batch;
  if (rounds >= MAX_ROUNDS) return undefined;
  const calls = judged.map(({ call }) => asApproved(call, phase.batch));
  const batch: Batch = { ...phase.batch, calls, rounds: rounds + 1 };
  const next =
    phase.name === 'rejudging' ? rejudge(turn, batch) : resumePreparing({ ...phase, batch });
  return commitThen(state, next, { turn, events: [] });
}

/** What somebody has said yes to stays as it was until it is judged again: that is what it is then held against. */
function asApproved(call: BatchCall, { calls }: Batch): BatchCall {
  if (call.granted === undefined || call.refusal !== undefined) return call;
  return calls.find(({ callId }) => callId === call.callId) ?? call;
}

/** A call that would run, with another input than its operation was prepared for. */
function isOutdated({ call, verdict }: JudgedCall): boolean {
  const { operation, refusal, effectiveInput, granted } = call;
  if (operation === undefined || refusal !== undefined || verdict.type === 'block') return false;
  return granted === undefined && !jsonEqual(operation.input, effectiveInput);
}

/** The answer to a call whose input a policy changes every time that it is prepared. */
export function refuseOutdated(entry: JudgedCall): JudgedCall {
  if (!isOutdated(entry)) return entry;
  const reason = 'a policy changed the input each time the operation was prepared';
  const refusal = { outcome: 'blocked', by: 'agent', reason } as const;
  return { ...entry, call: { ...entry.call, refusal } };
}
