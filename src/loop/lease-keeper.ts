import { ThreadConflictError } from '../errors/store-error.ts';
import { isThenable } from '../internal/is-thenable.ts';
import { adopted } from '../internal/later.ts';
import type { ThreadStore } from '../stores/port.ts';

/** A claim that is held, and what happens when it turns out to be lost. */
export interface HeldClaim {
  readonly threadId: string;
  readonly token: number;
  readonly onLost: (error: unknown) => void;
}

/** Renews every held claim of one agent with one timer, which never keeps a process alive and ends with the last claim. */
export class LeaseKeeper {
  readonly #store: ThreadStore;
  readonly #ttlMs: number;
  readonly #name: string;
  readonly #held = new Set<HeldClaim>();
  #holders = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `name`: like no other in any process. */
  constructor(store: ThreadStore, lease: { readonly ttlMs: number; readonly name: string }) {
    this.#store = store;
    this.#ttlMs = lease.ttlMs;
    this.#name = lease.name;
  }

  /** Who claims, anew for each run: no two hold a thread together. */
  newHolder(): string {
    this.#holders += 1;
    return `${this.#name}.${this.#holders}`;
  }

  get ttlMs(): number {
    return this.#ttlMs;
  }

  hold(claim: HeldClaim): void {
    this.#held.add(claim);
    this.#timer ??= setInterval(() => this.#renewAll(), this.#ttlMs / 3).unref();
  }

  drop(claim: HeldClaim): void {
    this.#held.delete(claim);
    if (this.#held.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #renewAll(): void {
    for (const claim of this.#held) {
      try {
        const renewed = this.#store.renew(claim.threadId, claim.token, this.#ttlMs);
        if (!isThenable(renewed)) continue;
        adopted(renewed).catch((error: unknown) => this.#notRenewed(claim, error));
      } catch (error) {
        this.#notRenewed(claim, error);
      }
    }
  }

  /**
   * Only a claim that is somebody else's ends its run. A store that merely failed is asked again before the
   * claim runs out, and if it does run out, the next commit is refused.
   */
  #notRenewed(claim: HeldClaim, error: unknown): void {
    if (this.#held.has(claim) && ThreadConflictError.isInstance(error)) claim.onLost(error);
  }
}
