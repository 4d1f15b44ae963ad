import { type CompactionOptions, createAgent, scriptedModel } from 'agent-hooks';
import { expect, test } from 'vitest';

const create = (compaction: unknown) => () =>
  createAgent({
    name: 'desk',
    model: scriptedModel([]),
    compaction: compaction as CompactionOptions,
  });

test.each([
  [7, 'compaction'],
  [null, 'compaction'],
  [{}, 'maxTokens'],
  [{ maxTokens: 0 }, 'maxTokens'],
  [{ maxTokens: 1.5 }, 'maxTokens'],
  [{ maxTokens: 10, keepTokens: -1 }, 'keepTokens'],
  [{ maxTokens: 10, maxSummaryTokens: 0 }, 'maxSummaryTokens'],
  [{ maxTokens: 10, keepTokens: 10 }, 'not below maxTokens'],
  [{ maxTokens: 10, keepTokens: 5, maxSummaryTokens: 5 }, 'not below maxTokens'],
  [{ maxTokens: 10, model: {} }, 'model'],
  [{ maxTokens: 10, countTokens: 7 }, 'countTokens'],
  [{ maxTokens: 10, instructions: 7 }, 'instructions'],
  [{ maxTokens: 10, keepToken: 5 }, 'keepToken'],
])('%j is refused, naming what is wrong', (compaction, named) => {
  expect(create(compaction)).toThrow(named);
});

test.each([
  { maxTokens: 1 },
  { maxTokens: 100_000 },
  { maxTokens: 10, keepTokens: 9 },
  { maxTokens: 10, maxSummaryTokens: 9 },
  { maxTokens: 10, keepTokens: 0, model: scriptedModel([]), countTokens: () => 1 },
])('%j is taken', (compaction) => {
  expect(create(compaction)).not.toThrow();
});
