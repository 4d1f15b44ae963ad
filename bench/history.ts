import type { Message } from 'agent-hooks';
import { prepareBare } from './bare.ts';
import { interleave, type Rounds } from './measure.ts';
import { prepareAfterHistory } from './ours.ts';
import { type HistoryRow, round } from './rows.ts';
import type { GuardKind, Work } from './work.ts';

const TURNS = 20;

/** One more turn of two steps, after histories of these lengths. */
export async function measureHistory(
  lengths: readonly number[],
  rounds: Rounds,
): Promise<HistoryRow[]> {
  const rows: HistoryRow[] = [];
  for (const guards of ['none', 'same-tick'] as const) {
    for (const length of lengths) rows.push(await measureRow(messages(length), guards, rounds));
  }
  return rows;
}

async function measureRow(
  history: readonly Message[],
  guards: GuardKind,
  rounds: Rounds,
): Promise<HistoryRow> {
  const work: Work = { steps: 2, calls: 1, guards };
  const bare = () => prepareBare(work, history);
  // One turn of a sample is not timed.
  const memory = () => prepareAfterHistory(work, history, TURNS + 1);
  const us = await interleave(
    [
      { name: 'bare', work, prepare: bare, turns: TURNS },
      { name: 'memory', work, prepare: memory, turns: TURNS },
    ],
    rounds,
  );
  return {
    messages: history.length,
    guards,
    bareUs: round(us.get('bare') ?? Number.NaN),
    memoryUs: round(us.get('memory') ?? Number.NaN),
  };
}

/** Questions and answers in turn, frozen as a store keeps them. */
function messages(length: number): readonly Message[] {
  return Array.from({ length }, (_, index): Message => {
    const part = Object.freeze({ type: 'text', text: `message ${index}` } as const);
    const role = index % 2 === 0 ? 'user' : 'assistant';
    return Object.freeze({ role, content: Object.freeze([part]) });
  });
}
