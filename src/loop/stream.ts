import type { AgentEvent } from '../events/event.ts';
import type { RunResult } from './result.ts';

const HIGH_WATER = 64;

/** The events of one run as they come, and its result. Ends after the last event, never by throwing. */
export interface RunStream extends AsyncIterable<AgentEvent> {
  /** Settles when the run has ended; rejects only for a mistake of the caller. */
  readonly result: Promise<RunResult>;
}

/** Where a run puts its events for one reader. */
export class Outlet implements AsyncIterable<AgentEvent> {
  #events: AgentEvent[] = [];
  #ended = false;
  #isRead = false;
  #wakeReader: (() => void) | undefined;
  #wakeWriter: (() => void) | undefined;
  #drained: Promise<void> | undefined;

  readonly push = (event: AgentEvent): void => {
    if (this.#ended) return;
    this.#events.push(event);
    this.#wakeReader?.();
  };

  /** Set while a reader is more than `HIGH_WATER` events behind. Nobody waits for a reader that never came. */
  readonly backpressure = (): Promise<void> | undefined => {
    if (!this.#isRead || this.#ended || this.#events.length < HIGH_WATER) return undefined;
    this.#drained ??= new Promise((resolve) => {
      this.#wakeWriter = resolve;
    });
    return this.#drained;
  };

  end(): void {
    this.#ended = true;
    this.#wakeReader?.();
    this.#releaseWriter();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<AgentEvent> {
    this.#isRead = true;
    try {
      for (;;) {
        const batch = this.#events;
        this.#events = [];
        for (const event of batch) yield event;
        this.#releaseWriter();
        if (this.#events.length > 0) continue;
        if (this.#ended) return;
        await new Promise<void>((resolve) => {
          this.#wakeReader = resolve;
        });
        this.#wakeReader = undefined;
      }
    } finally {
      // A reader that left must not hold the run up; the run itself goes on.
      this.#isRead = false;
      this.#events = [];
      this.#releaseWriter();
    }
  }

  #releaseWriter(): void {
    this.#wakeWriter?.();
    this.#wakeWriter = undefined;
    this.#drained = undefined;
  }
}
