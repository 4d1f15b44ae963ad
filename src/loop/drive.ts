import { isThenable } from '../internal/is-thenable.ts';
import { cancellation } from './cancellation.ts';
import type { Effect } from './effect.ts';
import type { LoopEvent } from './event.ts';
import { perform } from './perform.ts';
import { retract } from './retract.ts';
import type { Session } from './session.ts';
import { turnOf } from './state.ts';
import { step } from './step.ts';

/**
 * The only loop that awaits. Feeds each event to `step`, does what it asks for, and goes on until nothing is
 * asked for: the turn has ended, or waits for a person or the caller. Every way to run an agent is this.
 */
export async function drive(session: Session, first: LoopEvent): Promise<void> {
  const { cancel, rules } = session.options;
  let event: LoopEvent | undefined = first;
  while (event !== undefined) {
    const { state, effects, error } = step(session.state, event, rules);
    session.state = state;
    if (error !== undefined) session.error = error;
    event = undefined;
    for (let index = 0; index < effects.length; index += 1) {
      const effect = effects[index] as Effect; // the loop stays below the length
      if (cancel.cancelled && isCancellable(effect)) {
        event = { type: 'turn.cancelled' };
        break;
      }
      const answer = perform(effect, session);
      event = isThenable(answer) ? await answer : answer;
    }
    // A cancel that came with the commit that lets the turn wait ends it all the same.
    if (cancel.cancelled) event = event === undefined ? cancellation(session) : cancelled(event);
    if (event?.type === 'turn.cancelled') retractCancelled(session);
  }
}

function retractCancelled(session: Session): void {
  const turn = turnOf(session.state.phase);
  if (turn !== undefined) retract(session, CANCELLED, { turn, point: 'cancel' });
}

const CANCELLED = Object.freeze({ type: 'cancelled' });

/** Commits are never cut off, and tools that may have started answer for themselves. */
function isCancellable(effect: Effect): boolean {
  return (
    effect.type !== 'commit' &&
    effect.type !== 'run-tools' &&
    effect.type !== 'emit' &&
    effect.type !== 'adopt-summary' &&
    effect.type !== 'tell-error' &&
    effect.type !== 'cancel-operations' &&
    effect.type !== 'publish'
  );
}

/** A verdict or an answer that came with the cancel is dropped; what it cost is not. */
function cancelled(event: LoopEvent): LoopEvent {
  switch (event.type) {
    case 'model.responded':
      return { type: 'turn.cancelled', usage: event.response.usage };
    case 'model.failed':
      return { type: 'turn.cancelled', ...(event.usage !== undefined && { usage: event.usage }) };
    case 'summary.responded':
      return { type: 'turn.cancelled', usage: event.response.usage };
    case 'summary.failed':
      return { type: 'turn.cancelled', ...(event.usage !== undefined && { usage: event.usage }) };
    case 'context.full':
    case 'summary.requested':
    case 'summary.given':
      return { type: 'turn.cancelled' };
    case 'text.stopped':
    case 'call.refused':
      return { type: 'turn.cancelled', usage: event.usage };
    case 'opening.judged':
    case 'request.judged':
    case 'response.judged':
    case 'batch.read':
    case 'batch.judged':
    case 'outgoing.judged':
    case 'error.judged':
      return { type: 'turn.cancelled' };
    default:
      return event;
  }
}
