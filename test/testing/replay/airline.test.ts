import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { airlineHooks } from '../../../examples/airline/hooks.ts';
import { airlineTools } from '../../../examples/airline/tools.ts';
import { readTranscripts } from '../../../src/testing/replay/read-transcripts.ts';
import { replay } from '../../../src/testing/replay/replay.ts';
import type { ReplayReport } from '../../../src/testing/replay/report.ts';
import { HUNDRED, TEN } from './airline-counts.ts';
import { type Counted, independentCount } from './independent-count.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const ten = join(root, 'examples', 'airline', 'data', 'conversations.jsonl');
/** The hundred are not part of this repository: where they are not found, the ten of the example stand for them. */
const beside = join(root, '..', 'shared', 'data', 'airline', 'conversations.jsonl');
const named = process.env['AIRLINE_CONVERSATIONS'] ?? beside;
const [most, counts] = existsSync(named) ? [named, HUNDRED] : [ten, TEN];

function replayed(file: string): Promise<ReplayReport> {
  const conversations = readTranscripts(file);
  return replay({ hooks: airlineHooks, tools: airlineTools, conversations }).report();
}

function countedOf({ conversations, diverged, decisions }: ReplayReport): Counted {
  const rows = decisions.map(({ policy, decision, until, after }) => [
    `${policy} ${decision}`,
    { until, after },
  ]);
  return { conversations, diverged, decisions: Object.fromEntries(rows) };
}

test('the ten conversations of the example come to what was counted without the package', async () => {
  const report = await replayed(ten);
  expect(countedOf(report)).toEqual(TEN);
  expect(independentCount(ten)).toEqual(TEN);
  expect(report).toMatchObject({ broken: 0, problems: 0, derivedTools: [] });
});

test(`all ${counts.conversations} conversations that are here come to the same, in time`, async () => {
  const started = process.cpuUsage();
  const report = await replayed(most);
  const { user, system } = process.cpuUsage(started);
  expect(countedOf(report)).toEqual(counts);
  expect(independentCount(most)).toEqual(counts);
  expect(report).toMatchObject({ broken: 0, problems: 0 });
  // Of the processor, as the machine may be busy with other tests: ten seconds for a hundred.
  expect((user + system) / 1e6).toBeLessThan(10);
}, 60_000);
