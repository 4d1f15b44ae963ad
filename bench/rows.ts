import type { ContenderName, GuardKind } from './work.ts';

/** A number for each contender; one that is not installed has none. */
export type PerContender = { readonly [Name in ContenderName]?: number };

export interface StepsRow {
  readonly steps: number;
  readonly calls: number;
  readonly guards: GuardKind;
  /** Microseconds of one step, the turn's own cost shared out over its steps. */
  readonly usPerStep: PerContender;
  /** Times the bare loop. */
  readonly ratio: PerContender;
  readonly sqliteCommitsPerStep: number;
}

/** One more turn, of two steps, on a thread that has `messages` messages. */
export interface HistoryRow {
  readonly messages: number;
  readonly guards: GuardKind;
  readonly bareUs: number;
  readonly memoryUs: number;
}

/** Microseconds of a step with the same ten methods in one policy, and in ten. */
export interface SplitRow {
  readonly steps: number;
  readonly oneUs: number;
  readonly tenUs: number;
}

/** Many threads at once, each a turn of `steps` steps with one call a step. */
export interface ThreadsRow {
  readonly threads: number;
  readonly steps: number;
  readonly guards: GuardKind;
  readonly ms: PerContender;
  readonly ratio: PerContender;
  /** The most memory that a fresh process held which did nothing else. */
  readonly peakMb: PerContender;
}

export interface ImportRow {
  readonly name: string;
  readonly contender: ContenderName;
  readonly ms: number;
}

/** Of the root entry, minified, in bytes after gzip. */
export interface Sizes {
  readonly own: number;
  readonly withPackages: number;
}

export interface Results {
  readonly steps: readonly StepsRow[];
  readonly history: readonly HistoryRow[];
  readonly split: SplitRow;
  readonly threads: readonly ThreadsRow[];
  readonly imports: readonly ImportRow[];
  readonly sizes: Sizes;
  readonly createAgentUs: number;
}

export function ratios(values: PerContender): PerContender {
  const { bare } = values;
  if (bare === undefined) throw new Error('the bare loop was not measured');
  const entries = Object.entries(values).filter(([name]) => name !== 'bare');
  return Object.fromEntries(entries.map(([name, value]) => [name, round(value / bare)]));
}

export function round(value: number): number {
  return Math.round(value * 100) / 100;
}
