import { EventEmitter } from 'eventemitter3';
import { checkKeys } from '../errors/check-keys.ts';
import { ConfigError } from '../errors/config-error.ts';
import type { AgentEvent, EventType } from '../events/event.ts';
import { EVENT_TYPES, type EventPattern, matchEvents } from '../events/pattern.ts';
import { deepFreeze } from '../internal/deep-freeze.ts';
import { describeThrown } from '../internal/describe-thrown.ts';
import { isThenable } from '../internal/is-thenable.ts';
import { MAX_TIMER_MS } from '../internal/timer-limit.ts';

export type Observer = (event: AgentEvent) => unknown;

export interface ObserverOptions {
  /** Milliseconds an asynchronous observer may take before it is given up on, up to 2147483647. Default: 100. */
  readonly timeoutMs?: number;
}

const DEFAULT_TIMEOUT_MS = 100;

/**
 * Who watches an agent. A synchronous observer runs at once, an asynchronous one is never awaited. One that
 * throws, rejects or takes too long changes nothing, and is told of once: to the observers of `error.raised`, or
 * where there are none, and for a failure of such an observer, in a warning of the process.
 */
export class Observers {
  readonly #emitter = new EventEmitter();
  readonly #same = new Map<Observer, Same>();
  readonly #running = new Set<Running>();

  /** True while somebody hears events. */
  readonly any = (): boolean => this.#same.size > 0;

  /** True while somebody hears events of this type. */
  readonly hears = (type: EventType): boolean => this.#emitter.listenerCount(type) > 0;

  /**
   * Calls `observer` for every event the pattern means, until the returned function is called. A function that is
   * registered several times is told once of an event, by the first of its registrations that means it.
   */
  on(pattern: EventPattern, observer: Observer, options: ObserverOptions = {}): () => void {
    const types = typesOf(pattern);
    if (typeof observer !== 'function') {
      throw new ConfigError('invalid-input', {
        where: 'agent.on',
        what: 'the observer is no function',
        fix: 'Pass a function',
      });
    }
    const registration: Registration = {
      observer,
      timeoutMs: timeoutOf(options),
      same: this.#join(observer),
      active: true,
      warned: false,
    };
    const listener = (event: AgentEvent): void => this.#tell(registration, event);
    for (const type of types) this.#emitter.on(type, listener);
    return () => {
      if (!registration.active) return;
      registration.active = false;
      for (const type of types) this.#emitter.off(type, listener);
      this.#leave(observer, registration.same);
    };
  }

  readonly observe = (event: AgentEvent): void => {
    this.#emitter.emit(event.type, deepFreeze(event));
  };

  /** Settles when every observer that was told so far is done or given up on. */
  async settled(): Promise<void> {
    await Promise.all([...this.#running].map(({ done }) => done));
  }

  /** The same for those that were told of the end of a thread, up to a limit for all of them. */
  async ended(threadId: string, timeoutMs: number): Promise<void> {
    const told = [...this.#running].filter(
      ({ event }) => event.type === 'thread.ended' && event.threadId === threadId,
    );
    if (told.length === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      void Promise.all(told.map(({ done }) => done)).then(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  #join(observer: Observer): Same {
    const same = this.#same.get(observer);
    if (same === undefined) {
      const first: Same = { registrations: 1 };
      this.#same.set(observer, first);
      return first;
    }
    same.registrations += 1;
    same.told ??= new WeakSet();
    return same;
  }

  #leave(observer: Observer, same: Same): void {
    same.registrations -= 1;
    if (same.registrations === 0) this.#same.delete(observer);
  }

  #tell(registration: Registration, event: AgentEvent): void {
    const { told } = registration.same;
    // Whoever unsubscribes while an event is told does not hear it any more.
    if (!registration.active || told?.has(event) === true) return;
    told?.add(event);
    try {
      const answer = registration.observer(event);
      if (isThenable(answer)) this.#watch(registration, event, answer);
    } catch (error) {
      this.#report(registration, event, failure('observer-failed', error));
    }
  }

  /** Takes whatever comes of it, also after its time. */
  #watch(registration: Registration, event: AgentEvent, answer: PromiseLike<unknown>): void {
    const running: Running = { event, done: Promise.resolve() };
    running.done = new Promise((resolve) => {
      let isLate = false;
      const end = (): void => {
        this.#running.delete(running);
        resolve();
      };
      const timer = setTimeout(() => {
        isLate = true;
        this.#report(registration, event, TIMED_OUT);
        end();
      }, registration.timeoutMs);
      // A foreign thenable may throw when it is waited for.
      new Promise((settle) => settle(answer)).then(
        () => {
          clearTimeout(timer);
          end();
        },
        (error: unknown) => {
          clearTimeout(timer);
          const code = isLate ? 'observer-failed-late' : 'observer-failed';
          this.#report(registration, event, failure(code, error));
          end();
        },
      );
    });
    this.#running.add(running);
  }

  /** A failing observer of `error.raised` must not hear of itself for ever. */
  #report(registration: Registration, event: AgentEvent, { code, name }: Failure): void {
    if (event.type === 'error.raised' || !this.hears('error.raised')) {
      if (registration.warned) return;
      registration.warned = true;
      process.emitWarning(`an observer of '${event.type}' failed with ${name} (${code})`, {
        code: 'AGENT_HOOKS_OBSERVER',
      });
      return;
    }
    const { threadId, turnId, step, at, seq } = event;
    const details = { event: event.type };
    this.observe({
      type: 'error.raised',
      code,
      name,
      details,
      threadId,
      turnId,
      step,
      at,
      seq,
    });
  }
}

interface Registration {
  readonly observer: Observer;
  readonly timeoutMs: number;
  readonly same: Same;
  active: boolean;
  /** A warning of the process is for a person: one for each registration is enough. */
  warned: boolean;
}

/** All registrations of one function. */
interface Same {
  registrations: number;
  /** Set once there are several. */
  told?: WeakSet<AgentEvent>;
}

/** An asynchronous observer that is not done. */
interface Running {
  readonly event: AgentEvent;
  done: Promise<void>;
}

interface Failure {
  readonly code: string;
  readonly name: string;
}

const TIMED_OUT: Failure = Object.freeze({ code: 'observer-timed-out', name: 'TimeoutError' });

function failure(code: string, error: unknown): Failure {
  return { code, name: describeThrown(error).name };
}

function typesOf(pattern: unknown): readonly EventType[] {
  if (typeof pattern === 'string') return matchEvents(pattern, 'agent.on');
  throw new ConfigError('invalid-pattern', {
    where: 'agent.on',
    what: 'the pattern is no text',
    fix: `Use one of: ${EVENT_TYPES.join(', ')}, or a pattern such as 'tool.*'`,
  });
}

function timeoutOf(options: unknown): number {
  if (typeof options !== 'object' || options === null) throw invalidLimit();
  checkKeys('agent.on', options, ['timeoutMs']);
  const timeoutMs: unknown = Reflect.get(options, 'timeoutMs') ?? DEFAULT_TIMEOUT_MS;
  if (typeof timeoutMs === 'number' && timeoutMs > 0 && timeoutMs <= MAX_TIMER_MS) {
    return timeoutMs;
  }
  throw invalidLimit();
}

function invalidLimit(): ConfigError {
  return new ConfigError('invalid-option', {
    where: 'agent.on',
    what: 'the options have no usable time limit',
    fix: 'Pass `{ timeoutMs }` with milliseconds above 0 and up to 2147483647, or nothing',
  });
}
