import { memoryStore } from 'agent-hooks';
import { median } from './measure.ts';
import { buildAgent } from './ours.ts';
import { round } from './rows.ts';

const AGENTS = 100;

/** Microseconds to build an agent of three policies and one tool. */
export function measureCreateAgent(rounds: number): number {
  const store = memoryStore();
  const times = Array.from({ length: rounds }, () => {
    const started = performance.now();
    for (let index = 0; index < AGENTS; index += 1) {
      buildAgent({ steps: 1, calls: 1, guards: 'same-tick' }, store, 0);
    }
    return ((performance.now() - started) / AGENTS) * 1000;
  });
  return round(median(times));
}
