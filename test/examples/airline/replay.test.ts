import { memoryStore, type ToolOutcome, toolResultsOf } from 'agent-hooks';
import { expect, test } from 'vitest';
import { type Recording, readRecordings } from '../../../examples/airline/recording.ts';
import { replay } from '../../../examples/airline/replay.ts';

const recordings = readRecordings();
const recording = find('airline-045');

const say = (): void => {};

function find(id: string): Recording {
  const found = recordings.find((one) => one.id === id);
  if (found === undefined) throw new Error(`${id} is not among the recordings`);
  return found;
}

test('a conversation that no policy touches runs every recorded call', async () => {
  const tally = await replay(recording, { store: memoryStore(), say });
  expect(tally.diverged).toBe(false);
  expect(tally.until).toMatchObject({ steps: 10, calls: 4 });
});

test('a turn that does not complete fails the replay', async () => {
  const more = { ...recording, questions: [...recording.questions, 'One more thing.'] };
  await expect(replay(more, { store: memoryStore(), say })).rejects.toThrow(
    /^airline-045: a turn ended failed/,
  );
});

test('recorded answers that nobody asked for fail the replay', async () => {
  const less = { ...recording, questions: recording.questions.slice(0, -1) };
  await expect(replay(less, { store: memoryStore(), say })).rejects.toThrow(
    '1 recorded answers were not used',
  );
});

test('what is counted is what the store has', async () => {
  const store = memoryStore();
  const { until, after } = await replay(find('airline-163'), { store, say });
  const messages = await store.readMessages('airline-163', { limit: 1000 });
  const outcomes = messages.flatMap(toolResultsOf).map(({ outcome }) => outcome);
  const stored = (outcome: ToolOutcome): number => outcomes.filter((one) => one === outcome).length;
  expect([stored('succeeded'), stored('blocked')]).toEqual([
    until.calls + after.calls,
    until.blocked + after.blocked,
  ]);
  expect(stored('blocked')).toBe(3);
});
