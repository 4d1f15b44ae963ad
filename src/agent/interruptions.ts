import type { CancelScope } from '../internal/cancel-scope.ts';

/**
 * One message, answer or further step on its way through a thread whose newer messages interrupt it. It is cancelled as
 * soon as it is stored: what a user has said stays in the conversation, whatever becomes of the answer.
 */
export class Interruption {
  #cancel: CancelScope | undefined;
  #isStored = false;
  #isAsked = false;
  #holds = 0;

  /** The run has begun. */
  bind(cancel: CancelScope): void {
    this.#cancel = cancel;
  }

  /** The run has stored something; what it was begun with is the first. */
  readonly stored = (): void => {
    this.#isStored = true;
    if (this.#isAsked) this.#cancel?.cancel();
  };

  /** What the user is being told is told to its end: a message that comes meanwhile waits for its turn. */
  readonly hold = (): (() => void) => {
    this.#holds += 1;
    return () => {
      this.#holds -= 1;
    };
  };

  ask(): void {
    if (this.#holds > 0) return;
    this.#isAsked = true;
    if (this.#isStored) this.#cancel?.cancel();
  }
}

/** What of each thread is under way or waits for its turn. */
export class Interruptions {
  readonly #open = new Map<string, Set<Interruption>>();

  /** A new message interrupts all those before it. */
  enter(
    threadId: string,
    asks: 'to-follow' | 'to-interrupt',
  ): { readonly interruption: Interruption; readonly leave: () => void } {
    const open = this.#open.get(threadId) ?? new Set();
    if (asks === 'to-interrupt') for (const before of open) before.ask();
    const interruption = new Interruption();
    open.add(interruption);
    this.#open.set(threadId, open);
    const leave = (): void => {
      open.delete(interruption);
      if (open.size === 0 && this.#open.get(threadId) === open) this.#open.delete(threadId);
    };
    return { interruption, leave };
  }
}
