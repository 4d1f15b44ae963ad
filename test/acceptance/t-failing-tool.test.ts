import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { scriptedModel, tool } from '../../src/index.ts';
import { ofType } from './evidence.ts';
import { counted, expectStatus, MODES, play } from './play.ts';
import { expectSound, resultsIn } from './traces.ts';

const script = [{ toolCalls: [{ name: 'look' }, { name: 'charge' }] }, 'done'];

function throwing(what: unknown): () => never {
  return () => {
    throw what as Error; // A tool may throw anything.
  };
}

describe.each(MODES)('%s', (mode) => {
  const kaboom = new Error('exploded: kaboom');
  test.each([
    ['throws at once', 'Error', throwing(kaboom)],
    ['rejects', 'Error', () => Promise.reject(kaboom)],
    ['throws no error', 'string', throwing('a kaboom')],
  ] as const)(
    'T10: a tool that %s has one error result, and the run goes on',
    async (_how, told, explode) => {
      const charge = counted('charge');
      const look = counted('look', { execute: explode });
      const model = scriptedModel(script, { strict: true });
      const played = await play(mode, { model, tools: [look.tool, charge.tool] });
      expect(expectStatus(played.result, 'completed').text).toBe('done');
      expect(resultsIn(await played.store.readMessages('t'))).toEqual({
        '1.1.0': {
          outcome: 'failed',
          output: { error: 'look failed before completing. Do not claim success.' },
        },
        '1.1.1': { outcome: 'succeeded', output: 'charge done' },
      });
      expect(ofType(played.heard, 'tool.failed')).toMatchObject([
        { callId: '1.1.0', reason: `failed before completing (${told})` },
      ]);
      expect(JSON.stringify([model.requests, played.heard])).not.toContain('kaboom');
      await expectSound(played);
    },
  );

  test('T10, when it does not: both succeed', async () => {
    const tools = [counted('look').tool, counted('charge').tool];
    const played = await play(mode, { model: scriptedModel(script), tools });
    expect(ofType(played.heard, 'tool.failed')).toEqual([]);
  });

  test('T12: bad arguments are answered with the tool and the field, and only good ones run', async () => {
    const ran: unknown[] = [];
    const search = tool({
      name: 'search',
      description: 'Searches',
      inputSchema: z.object({ query: z.string(), limit: z.number() }),
      tier: 'auto',
      execute: (input) => {
        ran.push(input);
        return 'found';
      },
    });
    const calls = [
      { query: 'x', limit: 'ten' },
      { query: 'x', limit: 10 },
    ].map((input) => ({ toolCalls: [{ name: 'search', input }] }));
    const model = scriptedModel([...calls, 'done'], { strict: true });
    const played = await play(mode, { model, tools: [search] });
    expectStatus(played.result, 'completed');
    expect(ran).toEqual([{ query: 'x', limit: 10 }]);
    const results = resultsIn(await played.store.readMessages('t'));
    expect(results['1.1.0']?.outcome).toBe('invalid');
    const answered = JSON.stringify(results['1.1.0']?.output);
    for (const word of ['search', 'limit']) expect(answered).toContain(word);
    expect(answered).not.toContain('ten');
    expect(results['1.2.0']).toEqual({ outcome: 'succeeded', output: 'found' });
    await expectSound(played);
  });
});
