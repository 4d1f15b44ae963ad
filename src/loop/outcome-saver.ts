import { saveNotes } from './perform-commit.ts';
import type { Session } from './session.ts';
import type { BatchCall, LedgerNote } from './state.ts';

/** That a call may start. */
export function intentOf({ callId, inputDigest = '' }: BatchCall): LedgerNote {
  return { callId, inputDigest };
}

/**
 * Saves what becomes of the `once` calls of a batch while it still runs. One after the other: two commits at
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
  save(notes: readonly LedgerNote[]): Promise<void> {
    this.#last = this.#saveAfter(this.#last, notes);
    return this.#last;
  }

  async #saveAfter(
    earlier: Promise<void> | undefined,
    notes: readonly LedgerNote[],
  ): Promise<void> {
    await earlier;
    if (!(await saveNotes(this.#session, notes))) this.#failed = true;
  }
}
