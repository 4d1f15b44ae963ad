import type { StorageName } from './contender.ts';

/** One contender at one length of history. Everything is per step of a model call. */
export interface StorageRow {
  readonly name: StorageName;
  /** Messages that the thread has before the turn. */
  readonly history: number;
  /** Steps per second of a whole turn, the reading of the history included. */
  readonly stepsPerSecond: number;
  /** Milliseconds of processor time of this process; a server's is not in it. */
  readonly cpuMsPerStep: number;
  /** Transactions per second, by the time in which one was under way. */
  readonly commitsPerSecond: number;
  readonly commitsPerStep: number;
  /** Milliseconds that a turn spends on reading its thread. */
  readonly readMsPerTurn: number;
  readonly storedPerStep: number;
  /** Bytes written to the log that makes commits durable; none for memory. */
  readonly loggedPerStep?: number;
  readonly rowsPerStep: number;
}

export interface Formula {
  readonly name: string;
  readonly value: number;
  readonly limit: number;
  readonly passed: boolean;
  /** Whether it is about time, of which a short run says nothing. */
  readonly isTime: boolean;
}

export interface StorageResults {
  readonly rows: readonly StorageRow[];
  readonly settings: readonly { readonly name: StorageName; readonly settings: string }[];
  /** Which of ours could not run, and why. */
  readonly missing: readonly string[];
}
