import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type { ReplayCount } from '../../../src/testing/replay/report.ts';
import { fileOf } from './transcripts.ts';

interface Ran {
  readonly conversations: number;
  readonly decisions: readonly ReplayCount[];
  readonly heaps: readonly number[];
  readonly peakBytes: number;
}

/** One of many conversations, some 2 kB of it. */
function lineOf(index: number): string {
  const call = {
    id: 'a',
    type: 'function',
    function: { name: 'pay', arguments: JSON.stringify({ amount: index % 100 }) },
  };
  const messages = [
    { role: 'user', content: `Pay ${index}. ${'Please. '.repeat(200)}` },
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'a', content: 'paid' },
    { role: 'assistant', content: 'Paid.' },
  ];
  return `${JSON.stringify({ id: `c-${index}`, messages })}\n`;
}

async function replayMany(count: number): Promise<Ran> {
  const file = fileOf(Array.from({ length: count }, (_, index) => lineOf(index)).join(''));
  const child = join(import.meta.dirname, 'processes', 'replay-file.ts');
  const every = String(count / 10);
  const flags = ['--expose-gc', '--conditions=agent-hooks-source'];
  const run = promisify(execFile)(process.execPath, [...flags, child, file, every]);
  return JSON.parse((await run).stdout);
}

const COUNT = Number(process.env['REPLAY_CONVERSATIONS'] ?? 2000);

test('memory does not grow with how many conversations are replayed', async () => {
  const { conversations, decisions, heaps, peakBytes } = await replayMany(COUNT);
  expect(conversations).toBe(COUNT);
  expect(decisions).toMatchObject([
    { policy: 'limit', decision: 'block', until: (COUNT / 100) * 9, after: 0 },
  ]);
  // What is compiled and cached is so by the first tenth; what is kept of a conversation would show after it.
  const [, first = 0] = heaps;
  const perConversation = ((heaps.at(-1) ?? 0) - first) / (COUNT * 0.8);
  expect(perConversation).toBeLessThan(500);
  // The file alone is 2 kB a conversation. Node and the package take some 150 MB, whatever is replayed.
  expect(peakBytes).toBeLessThan(400 * 2 ** 20);
}, 300_000);
