import { memoryStore } from 'agent-hooks';
import { expect, test } from 'vitest';
import { readRecordings } from '../../../examples/airline/recording.ts';
import { replay } from '../../../examples/airline/replay.ts';

const [recording] = readRecordings().filter(({ id }) => id === 'airline-045');
if (recording === undefined) throw new Error('airline-045 is not among the recordings');

test('a conversation that no policy touches runs every recorded call', async () => {
  const tally = await replay(recording, memoryStore());
  expect(tally.diverged).toBe(false);
  expect(tally.until).toMatchObject({ steps: 10, calls: 4 });
});

test('a turn that does not complete fails the replay', async () => {
  const more = { ...recording, questions: [...recording.questions, 'One more thing.'] };
  await expect(replay(more, memoryStore())).rejects.toThrow(/^airline-045: a turn ended failed/);
});

test('recorded answers that nobody asked for fail the replay', async () => {
  const less = { ...recording, questions: recording.questions.slice(0, -1) };
  await expect(replay(less, memoryStore())).rejects.toThrow('1 recorded answers were not used');
});
