import type { AgentEvent } from '../events/event.ts';
import { isThenable } from '../internal/is-thenable.ts';
import { Ask } from './ask.ts';
import type { HookEntry } from './entry.ts';
import type { Moment } from './gate.ts';
import type { HookRun } from './hook-run.ts';
import { recordFailure } from './record.ts';
import type { Outcome } from './wait.ts';

/** Tells one policy of one event. Whatever it does is isolated: a failure is recorded, an answer is nothing. */
export function tell(
  run: HookRun,
  entry: HookEntry,
  news: { readonly event: AgentEvent; readonly moment: Moment },
): void {
  const { event, moment } = news;
  const ask = new Ask(run, entry, { point: 'onEvent', payload: event, moment, recheck: false });
  let answer: unknown;
  let pending: boolean;
  try {
    answer = ask.call(event, undefined);
    pending = isThenable(answer);
  } catch (cause) {
    const error = ask.error('threw', { cause });
    ask.interrupt(error);
    recordFailure(ask, error, { open: true });
    return;
  }
  if (pending) {
    // Nothing depends on when it ends.
    ask.wait(answer as PromiseLike<unknown>).whenOver((outcome) => recordOutcome(ask, outcome));
  } else ask.end();
}

/** True for the failure of an observer: no observer is told of it, or one that always fails would never end. */
export function isObserverFailure(event: AgentEvent): boolean {
  return event.type === 'hook.failed' && event.point === 'onEvent';
}

function recordOutcome(ask: Ask, outcome: Outcome): void {
  if (outcome.type === 'answered') ask.end();
  if (outcome.type === 'timed-out') recordFailure(ask, ask.error('timed-out'), { open: true });
  if (outcome.type === 'rejected') {
    const error = ask.error('threw', { cause: outcome.cause });
    ask.interrupt(error);
    recordFailure(ask, error, { open: true });
  }
}
