import { checkKeys } from '../../errors/check-keys.ts';
import { artifactCases } from './thread-store/artifacts.ts';
import {
  type OpenStore,
  type ReopenStore,
  runCase,
  type StoreCase,
  type StoreSetting,
} from './thread-store/case.ts';
import { claimCases } from './thread-store/claims.ts';
import { commitCases } from './thread-store/commits.ts';
import { deleteCases } from './thread-store/deleting.ts';
import { handleCases } from './thread-store/handles.ts';
import { readingCases } from './thread-store/reading.ts';
import { recordCases } from './thread-store/records.ts';
import { rewriteCases } from './thread-store/rewriting.ts';

export type { OpenStore, ReopenStore, StoreSetting };

/** One thing every store does. `run` rejects with an `AssertionError` where a store does not. */
export interface ConformanceCase {
  readonly name: string;
  readonly run: () => Promise<void>;
}

export interface ThreadStoreConformanceOptions {
  /**
   * Opens the data of `store` once more, while it is open or after it was closed. Leave it out only for a
   * store whose data ends with its handle: the cases on durability and on two handles are then not in the list.
   */
  readonly reopen?: ReopenStore;
}

/**
 * What a `ThreadStore` must do, as cases for any test runner. `open` gives an empty store for each case; it is
 * to use the clock it is given. Every handle is closed when its case ends.
 *
 * @example
 * for (const { name, run } of threadStoreConformance(({ now }) => memoryStore({ now }))) test(name, run);
 */
export function threadStoreConformance(
  open: OpenStore,
  options: ThreadStoreConformanceOptions = {},
): readonly ConformanceCase[] {
  checkKeys('threadStoreConformance', options, ['reopen']);
  const { reopen } = options;
  const cases: readonly StoreCase[] = [
    ...claimCases,
    ...commitCases,
    ...readingCases,
    ...recordCases,
    ...artifactCases,
    ...deleteCases,
    ...rewriteCases,
    ...(reopen === undefined ? [] : handleCases),
  ];
  return cases.map((test) => ({ name: test.name, run: () => runCase(test, open, reopen) }));
}
