import { isLater, whenThere } from '../internal/later.ts';
import { cancellation } from './cancellation.ts';
import type { Effect } from './effect.ts';
import type { LoopEvent } from './event.ts';
import { perform } from './perform.ts';
import { retract } from './retract.ts';
import type { Session } from './session.ts';
import { turnOf } from './state.ts';
import { step } from './step.ts';

/**
 * The only loop that waits. Feeds each event to `step`, does what it asks for, and goes on until nothing is
 * asked for: the turn has ended, or waits for a person or the caller. Every way to run an agent is this.
 */
export function drive(session: Session, first: LoopEvent): Promise<void> {
  return new Promise((resolve, reject) => new Driver(session, { resolve, reject }).start(first));
}

/** One promise for the whole run: what an effect waits for calls the loop when it is there. */
class Driver {
  readonly #session: Session;
  readonly #whole: { readonly resolve: () => void; readonly reject: (error: unknown) => void };
  /** What the latest transition asked for, and how much of it is begun. */
  #effects: readonly Effect[] = [];
  #begun = 0;
  #event: LoopEvent | undefined;

  constructor(
    session: Session,
    whole: { readonly resolve: () => void; readonly reject: (error: unknown) => void },
  ) {
    this.#session = session;
    this.#whole = whole;
  }

  start(first: LoopEvent): void {
    this.#event = first;
    try {
      this.#take();
      this.#goOn();
    } catch (error) {
      this.#whole.reject(error);
    }
  }

  /** Performs what is asked for and takes what comes of it, up to something to wait for or the end. */
  #goOn(): void {
    const { cancel } = this.#session.options;
    for (;;) {
      while (this.#begun < this.#effects.length) {
        const effect = this.#effects[this.#begun] as Effect; // the loop stays below the length
        this.#begun += 1;
        if (cancel.cancelled && isCancellable(effect)) {
          this.#event = { type: 'turn.cancelled' };
          break;
        }
        const answer = perform(effect, this.#session);
        if (isLater(answer)) {
          whenThere(answer, this.#onAnswer, this.#whole.reject);
          return;
        }
        this.#event = answer;
      }
      // A cancel that came with the commit that lets the turn wait ends it all the same.
      if (cancel.cancelled)
        this.#event =
          this.#event === undefined ? cancellation(this.#session) : cancelled(this.#event);
      if (this.#event === undefined) {
        this.#whole.resolve();
        return;
      }
      if (this.#event.type === 'turn.cancelled') retractCancelled(this.#session);
      this.#take();
    }
  }

  readonly #onAnswer = (answer: LoopEvent | undefined): void => {
    this.#event = answer;
    try {
      this.#goOn();
    } catch (error) {
      this.#whole.reject(error);
    }
  };

  #take(): void {
    const session = this.#session;
    const event = this.#event as LoopEvent; // asked for only with one
    this.#event = undefined;
    const { state, effects, error } = step(session.state, event, session.options.rules);
    session.state = state;
    if (error !== undefined) session.error = error;
    this.#effects = effects;
    this.#begun = 0;
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
    case 'budget.refused':
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
