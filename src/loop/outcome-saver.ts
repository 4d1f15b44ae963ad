import type { LedgerNote } from './effect.ts';
import { saveOutcome } from './perform-commit.ts';
import type { Session } from './session.ts';

/**
 * Saves how the `once` calls of a batch ended while others of it still run. One after the other: two commits at
 * once would expect the same version of the thread.
 */
export class OutcomeSaver {
  readonly #session: Session;
  #last: Promise<void> | undefined;
  #failed = false;

  constructor(session: Session) {
    this.#session = session;
  }

  /** True once an outcome could not be saved. No further call may start then: the thread may be someone else's. */
  get failed(): boolean {
    return this.#failed;
  }

  /** Never rejects. What could not be saved here is in the commit of the whole batch again. */
  save(note: LedgerNote): Promise<void> {
    this.#last = this.#saveAfter(this.#last, note);
    return this.#last;
  }

  async #saveAfter(earlier: Promise<void> | undefined, note: LedgerNote): Promise<void> {
    await earlier;
    if (!(await saveOutcome(this.#session, note))) this.#failed = true;
  }
}
