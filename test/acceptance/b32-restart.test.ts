import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { type HookContext, scriptedModel, tool } from '../../src/index.ts';
import { sqliteStore } from '../../src/stores/sqlite.ts';
import { tempFiles } from '../stores/temp-files.ts';
import { answersTo } from './approve.ts';
import { agentFor, counted, expectStatus, play, stores } from './play.ts';
import { expectSound, resultsIn } from './traces.ts';

const newPath = tempFiles();
const script = [{ toolCalls: [{ name: 'charge', input: { id: 'a' } }] }, 'done'];

test('B32: an approval is answered by another process on the same file', async () => {
  const path = newPath();
  const charge = counted('charge', { tier: 'confirm' });
  const before = sqliteStore({ path });
  const scene = { model: scriptedModel(script), tools: [charge.tool] };
  const paused = await play('run', { ...scene, store: before });
  const answers = answersTo(paused.result, true);
  await before.close?.();
  const store = sqliteStore({ path });
  const result = await agentFor('run', { ...scene, store }).resume({ threadId: 't', answers });
  expect(expectStatus(result, 'completed').text).toBe('done');
  expect(charge.inputs).toEqual([{ id: 'a' }]);
  await expectSound({ ...paused, store });
});

describe.each(stores())('%s store', (_name, open) => {
  test('B43: a tool that is gone at resume is an error result, and the model goes on', async () => {
    const charge = counted('charge', { tier: 'confirm' });
    const scene = { store: open(), model: scriptedModel(script, { strict: true }) };
    const paused = await play('run', { ...scene, tools: [charge.tool] });
    const other = agentFor('run', { ...scene, tools: [counted('refund').tool] });
    const result = await other.resume({ threadId: 't', answers: answersTo(paused.result, true) });
    expectStatus(result, 'completed');
    expect(charge.inputs).toEqual([]);
    expect(resultsIn(await scene.store.readMessages('t'))['1.1.0']).toEqual({
      outcome: 'unknown-tool',
      output: {
        error:
          'Unknown tool: there is no tool of this name; there are: refund. Do not claim success.',
      },
    });
    await expectSound(paused);
  });

  test('B43: another tool of the same name gets the input only if it fits', async () => {
    const charge = counted('charge', { tier: 'confirm' });
    const scene = { store: open(), model: scriptedModel(script, { strict: true }) };
    const paused = await play('run', { ...scene, tools: [charge.tool] });
    const seen: unknown[] = [];
    const changed = tool({
      name: 'charge',
      description: 'Charges an amount',
      inputSchema: z.object({ amount: z.number() }),
      tier: 'auto',
      execute: (input) => {
        seen.push(input);
      },
    });
    const other = agentFor('run', { ...scene, tools: [changed] });
    const result = await other.resume({ threadId: 't', answers: answersTo(paused.result, true) });
    expectStatus(result, 'completed');
    expect([charge.inputs, seen]).toEqual([[], []]);
    const answered = resultsIn(await scene.store.readMessages('t'))['1.1.0'];
    expect(answered).toMatchObject({
      outcome: 'invalid',
      output: { refused: expect.stringContaining('id is not an argument of charge') },
    });
    await expectSound(paused);
  });

  test('B43, with the same tool: it runs', async () => {
    const charge = counted('charge', { tier: 'confirm' });
    const scene = { store: open(), model: scriptedModel(script), tools: [charge.tool] };
    const paused = await play('run', scene);
    const other = agentFor('run', scene);
    await other.resume({ threadId: 't', answers: answersTo(paused.result, true) });
    expect(charge.inputs).toHaveLength(1);
  });

  test('B44: an approval from outside the chat needs no message, and its failures reach the caller', async () => {
    const charge = counted('charge', { tier: 'confirm' });
    const failing = scriptedModel([script[0] ?? '', new Error('down')]);
    const scene = { store: open(), model: failing, tools: [charge.tool] };
    const paused = await play('run', scene);
    const [approval] = await paused.agent.pendingApprovals();
    const result = await agentFor('run', scene).resume({
      threadId: approval?.threadId ?? '',
      answers: answersTo(paused.result, true),
    });
    expect(charge.inputs).toHaveLength(1);
    expect(expectStatus(result, 'failed').error).toMatchObject({ code: 'model-failed' });
    await expect(agentFor('run', scene).resume({ threadId: 'nobody' })).rejects.toThrow(
      "thread 'nobody'",
    );
  });

  test('B48: false, 0, the empty text and null come back as they were', async () => {
    const values = { flag: false, n: 0, s: '', x: null, list: [false, 0, '', null], o: {} };
    const seen: unknown[] = [];
    const keep = tool({
      name: 'keep',
      description: 'Keeps values',
      inputSchema: z.looseObject({}),
      tier: 'auto',
      execute: (input) => {
        seen.push(input);
        return values;
      },
    });
    const memory: unknown[] = [];
    const hooks = [
      {
        name: 'remembers',
        preLlmRequest(_request: unknown, ctx: HookContext) {
          memory.push(ctx.memory.get('values'));
          ctx.memory.set('values', values);
        },
      },
    ];
    const model = scriptedModel([{ toolCalls: [{ name: 'keep', input: values }] }, 'done', 'more']);
    const scene = { store: open(), model, tools: [keep], hooks };
    const played = await play('run', scene);
    await agentFor('run', scene).run({ threadId: 't', message: 'again' });
    expect(seen).toEqual([values]);
    expect(memory).toEqual([undefined, values, values]);
    const [, called, answered] = await played.store.readMessages('t');
    expect(called?.content[0]).toMatchObject({ input: values });
    expect(answered?.content[0]).toMatchObject({ output: values });
    expect(JSON.stringify(model.requests[2])).toContain(JSON.stringify(values));
  });
});
