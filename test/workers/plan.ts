import type { StorePlace } from '../crash/plan.ts';

export interface WorkerPlan {
  readonly place: StorePlace;
  readonly worker: number;
  /** How many threads there are; every worker visits all of them. */
  readonly threads: number;
  /** How many turns a thread lets in. */
  readonly quota: number;
  /** The file that tells what was paid, one line each. */
  readonly effects: string;
}
