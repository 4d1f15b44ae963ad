import type { AgentEvent } from '../events/event.ts';
import type { RunResult } from './result.ts';

const HIGH_WATER = 64;

/**
 * The events of one run as they come, and its result. Every reader gets all of them, from the first one on, also
 * one that comes late. Ends after the last event, never by throwing.
 *
 * While a reader is 64 events behind, the model's stream waits for it. A reader that stops taking events without
 * leaving its loop so holds the run, and its thread, until it goes on, leaves, or the run is cancelled. One that
 * leaves, or never begins, holds nothing up.
 */
export interface RunStream<Output = never> extends AsyncIterable<AgentEvent> {
  /** Settles when the run has ended; rejects only for a mistake of the caller. */
  readonly result: Promise<RunResult<Output>>;
}

interface Reader {
  /** The index of the event it gets next. */
  next: number;
}

/** Where a run puts its events for whoever reads them. */
export class Outlet implements AsyncIterable<AgentEvent> {
  readonly #events: AgentEvent[] = [];
  readonly #readers = new Set<Reader>();
  #ended = false;
  #wakeReaders: (() => void) | undefined;
  #news: Promise<void> | undefined;
  #wakeWriter: (() => void) | undefined;
  #drained: Promise<void> | undefined;

  readonly push = (event: AgentEvent): void => {
    if (this.#ended) return;
    this.#events.push(event);
    this.#tellReaders();
  };

  /** Set while a reader is `HIGH_WATER` events behind or more. Nobody waits for a reader that never came. */
  readonly backpressure = (): Promise<void> | undefined => {
    if (this.#ended || !this.#isBehind()) return undefined;
    this.#drained ??= new Promise((resolve) => {
      this.#wakeWriter = resolve;
    });
    return this.#drained;
  };

  end(): void {
    this.#ended = true;
    this.#tellReaders();
    this.#releaseWriter();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<AgentEvent> {
    const reader: Reader = { next: 0 };
    this.#readers.add(reader);
    try {
      for (;;) {
        for (; reader.next < this.#events.length; reader.next += 1) {
          yield this.#events[reader.next] as AgentEvent; // Below the length.
        }
        if (!this.#isBehind()) this.#releaseWriter();
        // The writer may have gone on at once.
        if (reader.next < this.#events.length) continue;
        if (this.#ended) return;
        await this.#whenNews();
      }
    } finally {
      // A reader that left must not hold the run up; the run itself goes on.
      this.#readers.delete(reader);
      if (!this.#isBehind()) this.#releaseWriter();
    }
  }

  #isBehind(): boolean {
    for (const { next } of this.#readers) {
      if (this.#events.length - next >= HIGH_WATER) return true;
    }
    return false;
  }

  #whenNews(): Promise<void> {
    this.#news ??= new Promise((resolve) => {
      this.#wakeReaders = resolve;
    });
    return this.#news;
  }

  #tellReaders(): void {
    this.#wakeReaders?.();
    this.#wakeReaders = undefined;
    this.#news = undefined;
  }

  #releaseWriter(): void {
    this.#wakeWriter?.();
    this.#wakeWriter = undefined;
    this.#drained = undefined;
  }
}
