import type { MaybePromise } from '../../internal/maybe-promise.ts';
import type { Counters } from '../../protocol/counters.ts';
import { type CountersCase, countingCases } from './counters/counting.ts';
import { endingCases } from './counters/ending.ts';
import { failingCases } from './counters/failing.ts';
import { handleCounterCases } from './counters/handles.ts';
import type { ConformanceCase } from './thread-store.ts';

/** Counters to be tried, without any count. */
export interface CountersBench {
  readonly counters: Counters;
  /** Opens the same counts once more. Leave it out only for counters that end with their handle. */
  readonly another?: () => MaybePromise<Counters>;
  /** Makes `counters` unable to count from now on, as by closing them. Leave it out only for counters that cannot fail. */
  readonly fail?: () => MaybePromise<void>;
  /** Lets go of everything, also of what failed. */
  readonly close?: () => MaybePromise<void>;
}

/** What counters under test are opened with. */
export interface CountersSetting {
  /** A clock the suite moves by hand, in milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * What `Counters` must do, as cases for any test runner. `open` gives counters for each case that use the clock they
 * are given. `shared` and `failing` say that what is opened has `another` and `fail`, whose cases are in the list then.
 *
 * @example
 * const open = ({ now }: CountersSetting) => ({ counters: memoryCounters(now) });
 * for (const { name, run } of countersConformance(open)) test(name, run);
 */
export function countersConformance(
  open: (setting: CountersSetting) => MaybePromise<CountersBench>,
  has: { readonly shared?: boolean; readonly failing?: boolean } = {},
): readonly ConformanceCase[] {
  const cases: readonly CountersCase[] = [
    ...countingCases,
    ...endingCases,
    ...(has.shared === true ? handleCounterCases : []),
    ...(has.failing === true ? failingCases : []),
  ];
  return cases.map(({ name, check }) => ({
    name,
    run: async () => {
      let time = 1_700_000_000_000;
      const bench = await open({ now: () => time });
      const pass = (ms: number): void => {
        time += ms;
      };
      try {
        await check({ ...bench, pass });
      } finally {
        await bench.close?.();
      }
    },
  }));
}
