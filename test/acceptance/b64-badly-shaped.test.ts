import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { scriptedModel, tool } from '../../src/index.ts';
import { expectStatus, MODES, play } from './play.ts';
import { expectSound, resultsIn } from './traces.ts';

function remember() {
  const notes: unknown[] = [];
  const made = tool({
    name: 'remember',
    description: 'Remembers notes',
    inputSchema: z.object({ notes: z.array(z.string()) }),
    tier: 'auto',
    execute: (input) => {
      notes.push(...input.notes);
      return 'remembered';
    },
  });
  return { tool: made, notes };
}

const call = (notes: unknown) => ({ toolCalls: [{ name: 'remember', input: { notes } }] });

describe.each(MODES)('%s', (mode) => {
  test('B64: a text where a list is due is told to the model, which may try again and again', async () => {
    const { tool: made, notes } = remember();
    const bad = ['buy milk', { 0: 'buy milk' }, [['buy milk']]].map(call);
    const model = scriptedModel([...bad, call(['buy milk']), 'done'], { strict: true });
    const played = await play(mode, { model, tools: [made] });
    expect(expectStatus(played.result, 'completed').text).toBe('done');
    expect(notes).toEqual(['buy milk']);
    const results = Object.values(resultsIn(await played.store.readMessages('t')));
    expect(results.map(({ outcome }) => outcome)).toEqual([
      ...Array(3).fill('invalid'),
      'succeeded',
    ]);
    for (const { output } of results.slice(0, 3)) expect(JSON.stringify(output)).toContain('notes');
    await expectSound(played);
  });

  test.each([1, 3])('B64: how often it may is up to the limit of steps: %i', async (steps) => {
    const { tool: made } = remember();
    const model = scriptedModel(Array.from({ length: 9 }, () => call('buy milk')));
    const played = await play(mode, { model, tools: [made], limits: { steps } });
    expect(expectStatus(played.result, 'limited').limit).toBe('steps');
    expect(model.calls).toBe(steps);
    await expectSound(played);
  });
});
