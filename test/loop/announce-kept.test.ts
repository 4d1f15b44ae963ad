import {
  agentTool,
  createAgent,
  hostTool,
  memoryStore,
  type SpokenLine,
  scriptedModel,
} from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { announceDesk, look, lookTool } from './announce-desk.ts';
import { dyingStore } from './desk.ts';

describe.each(['none', 'once'] as const)(
  'a process that ends: a tool that is %s',
  (sideEffects) => {
    test.each([2, 3, 4])('U-D22: after %i commits the line is said once', async (commits) => {
      let now = 1_000;
      const store = memoryStore({ now: () => now });
      const scene = {
        tool: { announce: ['A.', 'B.'], sideEffects, tier: 'auto' },
        script: [look({}), 'Done.', look({}), 'Done.'],
      };
      const before = announceDesk({ ...scene, store: dyingStore(store, commits) });
      await before.run().catch((error: unknown) => error);
      now += 60_000;
      const after = announceDesk({
        ...scene,
        store,
        script: ['Done.', look({}), 'Done.'],
      });
      await after.agent.resume({ threadId: 't' });
      const events = (await store.readEvents('t')).map(({ type }) => type);
      const of = (type: string) => events.filter((one) => one === type).length;
      // Shown or not: what the record has as said was said, and nothing else.
      expect(before.lines.length + after.lines.length).toBe(of('line.said'));
      expect(of('line.said')).toBeLessThanOrEqual(1);
      expect(of('tool.started')).toBe(1);
      expect(of('tool.succeeded') + of('tool.failed')).toBe(1);
      await after.run();
      const lines = [...before.lines, ...after.lines].map(({ text }) => text);
      expect(lines).toEqual(['A.', 'B.'].slice(0, lines.length));
    });
  },
);

test('nothing is shown, and nothing runs, where the line could not be stored', async () => {
  const desk = announceDesk({ store: dyingStore(memoryStore(), 2) });
  await desk.run().catch((error: unknown) => error);
  expect(desk.log).toEqual([]);
});

test('a tool that the host runs has its line said before the host is given the call', async () => {
  const lines: SpokenLine[] = [];
  const pick = hostTool({
    name: 'pick',
    inputSchema: z.object({ kind: z.string() }),
    sideEffects: 'none',
    announce: 'Pick a {{kind}}.',
  });
  const agent = createAgent({
    name: 'desk',
    model: scriptedModel([{ toolCalls: [{ name: 'pick', input: { kind: 'file' } }] }, 'Done.']),
    tools: [pick],
    onLine: (line) => void lines.push(line),
  });
  const types: string[] = [];
  agent.on('tool.*', ({ type }) => types.push(type));
  const waiting = await agent.run({ threadId: 't', message: 'go' });
  if (waiting.status !== 'awaiting-tools') throw new Error(waiting.status);
  expect(lines.map(({ text }) => text)).toEqual(['Pick a file.']);
  const results = waiting.calls.map(({ callId }) => ({ callId, output: 'picked' }));
  await agent.submitToolResults({ threadId: 't', results });
  expect(lines).toHaveLength(1);
  expect(types).toEqual(['tool.called', 'tool.started', 'tool.succeeded']);
});

describe('a subagent', () => {
  const team = (own?: (line: SpokenLine) => unknown) => {
    const lines: SpokenLine[] = [];
    const below = createAgent({
      name: 'below',
      model: scriptedModel([look({})]),
      tools: [lookTool([], { replies: [{ say: 'Found.' }] })],
      ...(own !== undefined && { onLine: own }),
    });
    const agent = createAgent({
      name: 'desk',
      model: scriptedModel([
        { toolCalls: [{ name: 'research', input: { task: 'look' } }] },
        'Done.',
      ]),
      tools: [agentTool(below, { name: 'research', description: 'Looks things up' })],
      onLine: (line) => void lines.push(line),
    });
    return { lines, run: () => agent.run({ threadId: 't', message: 'go' }) };
  };

  test('has its announcements shown by the host of the agent above, and not what it answers', async () => {
    const { lines, run } = team();
    expect((await run()).status).toBe('completed');
    expect(lines).toMatchObject([{ kind: 'announce', text: 'Checking.', agentPath: ['desk'] }]);
  });

  test('or by its own', async () => {
    const own: SpokenLine[] = [];
    const { lines, run } = team((line) => void own.push(line));
    await run();
    expect(own.map(({ text }) => text)).toEqual(['Checking.']);
    expect(lines).toEqual([]);
  });
});
