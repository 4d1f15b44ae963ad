import type { Phase } from '../../loop/state.ts';
import type { ThreadRecord } from './records-of.ts';

/*
 * An export is lines of JSON. Each thread is a header, its records, one a line, and an end with how many there were of each
 * kind; the thread itself comes first, then those of its subagents; the last line says how many threads there were. So a
 * file that was cut anywhere is seen to be.
 */

export const EXPORT_FORMAT = 'agent-hooks.thread';
export const EXPORT_VERSION = 1;

type Kind<Record> = Record extends unknown ? keyof Record : never;

/** How many records of each kind a thread has. */
export type Counts = { [kind in Kind<ThreadRecord>]: number };

export const NO_COUNTS: Readonly<Counts> = {
  message: 0,
  event: 0,
  ledger: 0,
  approval: 0,
  artifact: 0,
  memory: 0,
  state: 0,
};

const AT_REST: ReadonlySet<string> = new Set([
  'idle',
  'finished',
  'awaiting-approval',
  'awaiting-tools',
  'awaiting-child',
] satisfies Phase['name'][]);

/** True for a phase in which nothing of a thread is under way, and nothing is kept for the next request only. */
export function isAtRest(phase: Phase['name']): boolean {
  return AT_REST.has(phase);
}
