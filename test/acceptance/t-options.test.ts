import { describe, expect, test } from 'vitest';
import { createAgent, scriptedModel, toolResultsOf } from '../../src/index.ts';
import { counted, expectStatus, MODES, play, stores } from './play.ts';

describe.each(MODES)('%s', (mode) => {
  describe.each(stores())('%s store', (_name, open) => {
    test('T16: what an agent was built with is what it goes by', async () => {
      const store = open();
      const look = counted('look');
      const tools = [look.tool];
      const model = scriptedModel([{ toolCalls: [{ name: 'look' }] }, 'done'], { id: 'm-1' });
      const settings = { temperature: 0.5, maxTokens: 7 };
      const scene = { store, model, tools, settings, instructions: 'Be brief.' };
      const played = await play(mode, scene);
      expectStatus(played.result, 'completed');
      for (const request of model.requests) {
        expect(request.settings).toEqual(settings);
        expect(request.tools.map(({ name }) => name)).toEqual(['look']);
        expect(request.messages[0]).toMatchObject({ role: 'system' });
        expect(JSON.stringify(request.messages[0])).toContain('Be brief.');
      }
      const stored = await store.readMessages('t');
      expect(stored).toHaveLength(4);
      expect(stored.flatMap(toolResultsOf)).toMatchObject([{ output: 'look done' }]);
      expect((await store.load('t'))?.state['agent']).toBe('clerk');
      expect(played.heard).toContainEqual(
        expect.objectContaining({ type: 'llm.requested', model: 'm-1' }),
      );
    });
  });
});

test('T16: a list that changes after the agent is built changes nothing', async () => {
  const look = counted('look');
  const wipe = counted('wipe');
  const tools = [look.tool];
  const hooks: { readonly name: string; onTurnStart: () => never }[] = [];
  const model = scriptedModel([{ toolCalls: [{ name: 'wipe' }] }, 'done']);
  const agent = createAgent({ name: 'clerk', model, tools, hooks });
  tools.push(wipe.tool);
  hooks.push({
    name: 'late',
    onTurnStart: () => {
      throw new Error('asked');
    },
  });
  expectStatus(await agent.run({ threadId: 't', message: 'hello' }), 'completed');
  expect(wipe.inputs).toEqual([]);
});

test('T16: nor do settings and limits that change afterwards, however deep', async () => {
  const settings = { temperature: 1, stop: ['END'] };
  const limits = { thread: { steps: 5 } };
  const model = scriptedModel(['done', 'again']);
  const agent = createAgent({ name: 'clerk', model, settings, limits });
  settings.stop.push('x');
  settings.temperature = 2;
  limits.thread.steps = 1;
  for (const message of ['hello', 'more'])
    expectStatus(await agent.run({ threadId: 't', message }), 'completed');
  expect(model.requests.map((request) => request.settings)).toEqual([
    { temperature: 1, stop: ['END'] },
    { temperature: 1, stop: ['END'] },
  ]);
  expect(Object.isFrozen(model.requests[0]?.settings.stop)).toBe(true);
});
