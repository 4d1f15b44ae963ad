import { EventEmitter } from 'eventemitter3';
import { ConfigError } from '../errors/config-error.ts';
import type { AgentEvent, EventType } from '../events/event.ts';
import { type EventPattern, matchEvents } from '../events/pattern.ts';
import { describeThrown } from '../internal/describe-thrown.ts';
import { isThenable } from '../internal/is-thenable.ts';

export type Observer = (event: AgentEvent) => unknown;

export interface ObserverOptions {
  /** Milliseconds an asynchronous observer may take before it is given up on. Default: 100. */
  readonly timeoutMs?: number;
}

const DEFAULT_TIMEOUT_MS = 100;

/**
 * Who watches an agent. Observers are told and never awaited; one that throws, rejects or hangs is reported
 * to the others as `error.raised` and changes nothing.
 */
export class Observers {
  readonly #emitter = new EventEmitter();
  readonly #running = new Set<Promise<void>>();
  #reporting = false;

  /** True while somebody hears events of this type. */
  readonly hears = (type: EventType): boolean => this.#emitter.listenerCount(type) > 0;

  /** Calls `observer` for every event the pattern means, until the returned function is called. */
  on(pattern: EventPattern, observer: Observer, options: ObserverOptions = {}): () => void {
    if (typeof observer !== 'function') {
      throw new ConfigError('invalid-input', {
        where: 'agent.on',
        what: 'the observer is no function',
        fix: 'Pass a function',
      });
    }
    const types = matchEvents(pattern, 'agent.on');
    const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    const listener = (event: AgentEvent): void => this.#tell(observer, event, timeoutMs);
    for (const type of types) this.#emitter.on(type, listener);
    let active = true;
    return () => {
      if (!active) return;
      active = false;
      for (const type of types) this.#emitter.off(type, listener);
    };
  }

  readonly observe = (event: AgentEvent): void => {
    this.#emitter.emit(event.type, event);
  };

  /** Settles when every observer that was told so far is done or given up on. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  #tell(observer: Observer, event: AgentEvent, timeoutMs: number): void {
    try {
      const answer = observer(event);
      if (isThenable(answer)) this.#watch(answer, event, timeoutMs);
    } catch (error) {
      this.#report(event, error);
    }
  }

  #watch(answer: PromiseLike<unknown>, event: AgentEvent, timeoutMs: number): void {
    const done = new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        this.#report(event, new Error('the observer took too long'));
        resolve();
      }, timeoutMs);
      Promise.resolve(answer).then(
        () => {
          clearTimeout(timer);
          resolve();
        },
        (error: unknown) => {
          clearTimeout(timer);
          this.#report(event, error);
          resolve();
        },
      );
    });
    this.#running.add(done);
    void done.then(() => this.#running.delete(done));
  }

  /** A failing observer of `error.raised` must not hear of itself for ever. */
  #report(event: AgentEvent, error: unknown): void {
    const { name } = describeThrown(error);
    if (this.#reporting || event.type === 'error.raised') {
      process.emitWarning(`an observer of '${event.type}' failed with ${name}`, {
        code: 'AGENT_HOOKS_OBSERVER',
      });
      return;
    }
    const { threadId, turnId, step, at, seq } = event;
    this.#reporting = true;
    try {
      this.observe({
        type: 'error.raised',
        code: 'observer-failed',
        name,
        threadId,
        turnId,
        step,
        at,
        seq,
      });
    } finally {
      this.#reporting = false;
    }
  }
}
