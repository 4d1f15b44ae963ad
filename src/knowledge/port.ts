import type { MaybePromise } from '../internal/maybe-promise.ts';
import type { KnowledgePassage } from '../protocol/texts.ts';

/** How one search is to be made. */
export interface KnowledgeSearch {
  /** The most passages that are of use; what comes beyond is dropped. */
  readonly limit: number;
  /** Aborted when the turn is cancelled or the time of the call is over. */
  readonly signal: AbortSignal;
  /** What the app passed to `run`, untouched: for an index that must only find what its reader may see. */
  readonly context: unknown;
}

/** Where an agent looks things up. */
export interface KnowledgeIndex {
  /**
   * The passages that fit a query, best first; none is an answer too. The query is never empty and holds at most
   * 2,000 characters. What it throws or rejects with reaches nobody but the cause of an error: the model reads that
   * nothing can be looked up. A passage that is not of its shape makes the whole answer count as a failure.
   */
  search(query: string, options: KnowledgeSearch): MaybePromise<readonly KnowledgePassage[]>;
}
