import type { Usage } from '../protocol/chat.ts';
import type { LoopEvent } from './event.ts';
import type { Rules } from './rules.ts';
import { settleBatch } from './settle-batch.ts';
import { spendIfAny } from './spend.ts';
import type { Batch, BatchCall, OpenTurn, Phase, ThreadState } from './state.ts';
import { endAwaiting } from './step-host.ts';
import { writesOf } from './step-tools.ts';
import { finish, type Transition } from './transition.ts';

const CANCELLED = { status: 'cancelled' } as const;

/** Ends the open turn. Running tools answer for themselves, and a commit is never cut off: they are not cancelled here. */
export function onCancelled(
  state: ThreadState,
  event: Extract<LoopEvent, { readonly type: 'turn.cancelled' }>,
  rules: Rules,
): Transition | undefined {
  const { phase } = state;
  switch (phase.name) {
    case 'opening':
    case 'requesting':
    case 'compacting':
    case 'calling':
    case 'answering':
    case 'preflighting':
      return finishCancelled(state, phase.turn, { usage: event.usage, rules });
    case 'speaking':
      return phase.speech.kind === 'beside' && phase.speech.batch.pauses > 0
        ? settleCancelled(state, phase.turn, { batch: phase.speech.batch, rules })
        : finishCancelled(state, phase.turn, { usage: event.usage, rules });
    case 'failing':
      return cancelFailing(state, phase, { usage: event.usage, rules });
    case 'preparing':
    case 'awaiting-approval':
    case 'rejudging':
      return settleCancelled(state, phase.turn, { batch: phase.batch, rules });
    case 'awaiting-tools':
      return endAwaiting(state, phase, { rules });
    default:
      return undefined;
  }
}

function finishCancelled(
  state: ThreadState,
  turn: OpenTurn,
  { usage, rules }: { readonly usage: Usage | undefined; readonly rules: Rules },
): Transition {
  const paid = spendIfAny(state, turn, { usage, rules });
  return finish(paid.state, paid.turn, { outcome: CANCELLED, rules });
}

/** What has happened before the policies heard of the error is kept: tools that ran, and answers to approvals. */
function cancelFailing(
  state: ThreadState,
  { turn, failure }: Extract<Phase, { readonly name: 'failing' }>,
  { usage, rules }: { readonly usage: Usage | undefined; readonly rules: Rules },
): Transition {
  switch (failure.kind) {
    case 'model':
      return finishCancelled(state, turn, { usage, rules });
    case 'tools': {
      const writes = writesOf(failure.batch, failure.finished);
      return finish(state, turn, { ...writes, outcome: CANCELLED, rules });
    }
    case 'told':
      return finish(state, turn, { ...failure.ending, outcome: CANCELLED, rules });
  }
}

/** A batch somebody was asked about enters the history, every call of it as cancelled. */
export function settleCancelled(
  state: ThreadState,
  turn: OpenTurn,
  { batch, rules }: { readonly batch: Batch; readonly rules: Rules },
): Transition {
  const calls = batch.calls.map((call): BatchCall => {
    if (call.refusal !== undefined) return call;
    const refused: BatchCall = {
      ...call,
      refusal: { outcome: 'cancelled', by: 'user', reason: 'the turn was cancelled' },
    };
    if (call.approval?.status !== 'open') return refused;
    return { ...refused, approval: { ...call.approval, status: 'superseded' } };
  });
  return settleBatch(state, turn, { batch: { ...batch, calls }, outcome: CANCELLED, rules });
}
