import { IllegalTransitionError } from '../errors/illegal-transition.ts';
import { unreachable } from '../internal/unreachable.ts';
import type { LoopEvent } from './event.ts';
import { letGo } from './let-go.ts';
import type { Rules } from './rules.ts';
import type { ThreadState } from './state.ts';
import { onApprovalsAnswered } from './step-approvals.ts';
import { onBatchJudged } from './step-batch.ts';
import { onCancelled } from './step-cancel.ts';
import { onCommitFailed, onCommitted } from './step-commit.ts';
import {
  onContextFull,
  onSummaryFailed,
  onSummaryGiven,
  onSummaryRequested,
  onSummaryResponded,
} from './step-compact.ts';
import { onErrorJudged } from './step-error.ts';
import { onToolsSubmitted } from './step-host.ts';
import { onOutgoingJudged } from './step-outgoing.ts';
import { onBatchRead, onOperationsPrepared } from './step-prepare.ts';
import { onRefused } from './step-refused.ts';
import {
  onModelFailed,
  onModelResponded,
  onRequestJudged,
  onResponseJudged,
  onTextStopped,
} from './step-response.ts';
import { onToolsFinished } from './step-tools.ts';
import { onOpeningJudged, onThreadEnded, onTurnRequested, onTurnResumed } from './step-turn.ts';
import type { Transition } from './transition.ts';

/**
 * The whole loop as one pure function: no clock, no ids, no I/O, no package. Whoever performs the effects and
 * feeds the events back runs an agent; run, stream, runStep and resume differ only in when they stop.
 */
export function step(state: ThreadState, event: LoopEvent, rules: Rules): Transition {
  const transition = transit(state, event, rules);
  if (transition === undefined) throw new IllegalTransitionError(state.phase.name, event.type);
  return letGo(state, event, transition);
}

/** `undefined` where the phase has no answer to the event. */
function transit(state: ThreadState, event: LoopEvent, rules: Rules): Transition | undefined {
  switch (event.type) {
    case 'turn.requested':
      return onTurnRequested(state, event, rules);
    case 'turn.resumed':
      return onTurnResumed(state, event, rules);
    case 'turn.cancelled':
      return onCancelled(state, event, rules);
    case 'opening.judged':
      return onOpeningJudged(state, event, rules);
    case 'request.judged':
      return onRequestJudged(state, event, rules);
    case 'model.responded':
      return onModelResponded(state, event, rules);
    case 'model.failed':
      return onModelFailed(state, event, rules);
    case 'context.full':
      return onContextFull(state, event);
    case 'summary.requested':
      return onSummaryRequested(state, event);
    case 'summary.responded':
      return onSummaryResponded(state, event, rules);
    case 'summary.given':
      return onSummaryGiven(state, event, rules);
    case 'summary.failed':
      return onSummaryFailed(state, event, rules);
    case 'text.stopped':
      return onTextStopped(state, event, rules);
    case 'call.refused':
    case 'budget.refused':
      return onRefused(state, event, rules);
    case 'response.judged':
      return onResponseJudged(state, event, rules);
    case 'batch.read':
      return onBatchRead(state, event);
    case 'operations.prepared':
      return onOperationsPrepared(state, event, rules);
    case 'batch.judged':
      return onBatchJudged(state, event, rules);
    case 'outgoing.judged':
      return onOutgoingJudged(state, event, rules);
    case 'tools.finished':
      return onToolsFinished(state, event, rules);
    case 'tools.submitted':
      return onToolsSubmitted(state, event);
    case 'error.judged':
      return onErrorJudged(state, event, rules);
    case 'thread.ended':
      return onThreadEnded(state, event);
    case 'approvals.answered':
      return onApprovalsAnswered(state, event);
    case 'committed':
      return onCommitted(state, event, rules);
    case 'commit.failed':
      return onCommitFailed(state, event);
    default:
      return unreachable(event, 'step');
  }
}
