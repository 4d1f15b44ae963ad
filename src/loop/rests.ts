import type { Phase } from './state.ts';

/** True for a phase in which a thread may be left: its turn is over, or waits for somebody, or for the next step. */
export function rests(phase: Phase): boolean {
  if (phase.name === 'requesting') return phase.turn.between === true;
  return (
    phase.name === 'finished' ||
    phase.name === 'awaiting-approval' ||
    phase.name === 'awaiting-tools' ||
    phase.name === 'awaiting-child'
  );
}
