import type { Limited } from './deadlines.ts';
import { Deadlines } from './deadlines.ts';
import type { Drafts, GatePorts, RunFacts } from './gate.ts';
import { MemoryDrafts } from './memory-drafts.ts';

/** Something that ends early when the run is cancelled. */
export interface Interruptible {
  interrupt(reason: unknown): void;
}

/**
 * What all hooks of one run share. Made for every run, so everything in it but the two arguments is made when
 * first needed: a run whose policies answer synchronously has no timer, no list and no cancel listener.
 */
export class HookRun {
  readonly facts: RunFacts;
  readonly ports: GatePorts;
  #waits: Deadlines<Interruptible & Limited> | undefined;
  #signals: Set<Interruptible> | undefined;
  #unlisten: (() => void) | undefined;
  #drafts: MemoryDrafts | undefined;
  #closed = false;

  constructor(facts: RunFacts, ports: GatePorts) {
    this.facts = facts;
    this.ports = ports;
  }

  get cancelled(): boolean {
    return this.ports.cancel.cancelled;
  }

  /** What policies wrote to their memory in asks that are not over. */
  draftsOf(policy: string): Drafts {
    const shared = this.ports.memory.draftsOf?.(policy);
    if (shared !== undefined) return shared;
    this.#drafts ??= new MemoryDrafts(this.ports.memory);
    return this.#drafts;
  }

  /** Starts the limit of a hook that is still running. False when there is no run left to wait for it. */
  enter(wait: Interruptible & Limited, timeoutMs: number, since: number): boolean {
    if (this.#closed || this.cancelled) return false;
    this.#listen();
    this.#waits ??= new Deadlines(this.ports.now);
    this.#waits.add(wait, timeoutMs, since);
    return true;
  }

  leave(wait: Interruptible & Limited): void {
    this.#waits?.cancel(wait);
  }

  /** Interrupts `owner` of a signal on cancel, also when its hook has answered: it may have left work behind. */
  track(owner: Interruptible): void {
    if (this.#closed) return;
    this.#listen();
    this.#signals ??= new Set();
    this.#signals.add(owner);
  }

  /** Interrupts every hook that is still running, and leaves nothing on the event loop. */
  close(): void {
    this.#closed = true;
    this.#unlisten?.();
    for (const wait of this.#waits?.live ?? []) wait.interrupt(undefined);
    this.#waits?.close();
    this.#signals = undefined;
  }

  #listen(): void {
    this.#unlisten ??= this.ports.cancel.onCancel(() => {
      const { reason } = this.ports.cancel;
      for (const wait of this.#waits?.live ?? []) wait.interrupt(reason);
      for (const owner of [...(this.#signals ?? [])]) owner.interrupt(reason);
    });
  }
}
