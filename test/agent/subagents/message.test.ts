import {
  agentTool,
  createAgent,
  memoryStore,
  scriptedModel,
  type ThreadStore,
  tool,
} from 'agent-hooks';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { callThen, outputsOf, yesTo } from './team.ts';

const TASK = { name: 'clerk', input: { task: 'pay' } };

function desk(
  message: () => string | Promise<string>,
  { store = memoryStore(), more }: { readonly store?: ThreadStore; readonly more?: object } = {},
) {
  const pay = tool({
    name: 'pay',
    description: 'Pays',
    inputSchema: z.object({}),
    tier: 'confirm',
    execute: () => 'paid',
  });
  const clerk = createAgent({
    name: 'clerk',
    model: scriptedModel([callThen('clerk: done', { name: 'pay', input: {} }), 'clerk: done']),
    tools: [pay],
  });
  const asTool = agentTool(clerk, { name: 'clerk', description: 'Pays', message, ...more });
  const model = scriptedModel([callThen('done', TASK), 'done']);
  return createAgent({ name: 'desk', model, tools: [asTool], store });
}

const never = () => new Promise<string>(() => undefined);

test('a message of a subagent that never comes does not keep a cancel waiting', async () => {
  const agent = desk(never);
  const running = agent.run({ threadId: 't', message: 'go' });
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(await agent.cancel('t')).toMatchObject({ status: 'cancelled' });
  expect(outputsOf(await running)).toEqual(['Cancelled by user']);
});

test('a message of a subagent that never comes takes no longer than its call may', async () => {
  const agent = desk(never, { more: { timeoutMs: 20 } });
  const result = await agent.run({ threadId: 't', message: 'go' });
  expect(result.status).toBe('completed');
  expect(outputsOf(result)).toEqual([expect.stringContaining('no message for the subagent')]);
});

test('a subagent that has begun goes on without making its message once more', async () => {
  const store = memoryStore();
  const asked = await desk(() => 'pay', { store }).run({ threadId: 't', message: 'go' });
  const broken = desk(
    () => {
      throw new Error('the file is gone');
    },
    { store },
  );
  const result = await broken.resume({ threadId: 't', answers: yesTo(asked) });
  expect(outputsOf(result)).toEqual(['clerk: done']);
  expect(await broken.pendingApprovals()).toEqual([]);
});

test('a subagent that has become too deep is ended', async () => {
  const store = memoryStore();
  const office = (maxDepth: number) => {
    const inner = desk(() => 'pay', { more: { maxDepth } });
    return createAgent({
      name: 'office',
      model: scriptedModel([callThen('office: done', TASK), 'office: done']),
      tools: [agentTool(inner, { name: 'clerk', description: 'Pays' })],
      store,
    });
  };
  const asked = await office(4).run({ threadId: 't', message: 'go' });
  const changed = office(1);
  expect((await changed.resume({ threadId: 't', answers: yesTo(asked) })).status).toBe('completed');
  expect(await changed.pendingApprovals()).toEqual([]);
  expect((await store.load('t/1.1.0/1.1.0'))?.state['phase']).toMatchObject({ name: 'finished' });
});
