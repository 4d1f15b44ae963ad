import type { RunResult } from '../../src/index.ts';
import type { Process } from './process.ts';

/** How a call of an agent ended. */
export type Ending = { readonly result: RunResult } | { readonly thrown: unknown } | 'hangs';

export interface Leg {
  readonly process: Process;
  readonly did: string;
  readonly ending: Ending | 'abandoned';
  /** The version of the thread before and after. */
  readonly versions: readonly [number, number];
}
