import {
  type Agent,
  agentTool,
  createAgent,
  memoryStore,
  type RunResult,
  scriptedModel,
  type ThreadStore,
  tool,
} from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { watched } from '../loop/desk.ts';

const pay = tool({
  name: 'pay',
  description: 'Pays',
  inputSchema: z.object({}),
  tier: 'confirm',
  execute: () => 'paid',
});
const callPay = { toolCalls: [{ name: 'pay', input: {} }] };

function plain(store: ThreadStore, onBusy: 'reject' | 'interrupt' = 'reject'): Agent {
  const model = scriptedModel([callPay, 'two']);
  return createAgent({ name: 'desk', model, tools: [pay], store, onBusy });
}

function delegating(store: ThreadStore): Agent {
  const clerk = createAgent({ name: 'clerk', model: scriptedModel([callPay]), tools: [pay] });
  const asTool = agentTool(clerk, { name: 'clerk', description: 'Pays' });
  const model = scriptedModel([{ toolCalls: [{ name: 'clerk', input: { task: 'pay' } }] }, 'two']);
  return createAgent({ name: 'desk', model, tools: [asTool], store });
}

/** Does something in the middle of the commit that lets a thread wait for a person. */
function whileSuspending(phase: string, act: (agent: Agent) => Promise<unknown>) {
  const scene: { agent?: Agent; acting?: Promise<unknown> } = {};
  const store = memoryStore();
  const seen = watched(store, ({ state }) => {
    const { name } = state['phase'] as { readonly name: string };
    if (name !== phase || scene.acting !== undefined || scene.agent === undefined) return;
    scene.acting = act(scene.agent);
  });
  return { store, seen, scene };
}

describe('a cancel in the middle of the commit that lets a turn wait', () => {
  for (const [phase, make] of [
    ['awaiting-approval', plain],
    ['awaiting-approval', delegating],
    ['awaiting-child', delegating],
  ] as const) {
    test(`ends it: ${phase}, ${make.name}`, async () => {
      const { seen, scene, store } = whileSuspending(phase, (agent) => agent.cancel('t'));
      const agent = make(seen);
      scene.agent = agent;
      expect(await agent.run({ threadId: 't', message: 'go' })).toMatchObject({
        status: 'cancelled',
      });
      expect(await scene.acting).toMatchObject({ status: 'cancelled' });
      expect(await agent.pendingApprovals()).toEqual([]);
      expect((await store.load('t'))?.state['phase']).toMatchObject({ name: 'finished' });
    });
  }

  test('ends it also when it is the signal of the caller', async () => {
    const abort = new AbortController();
    const { seen, scene } = whileSuspending('awaiting-approval', async () => abort.abort());
    const agent = plain(seen);
    scene.agent = agent;
    const result = await agent.run({ threadId: 't', message: 'go', signal: abort.signal });
    expect(result.status).toBe('cancelled');
    expect(await agent.pendingApprovals()).toEqual([]);
  });

  test('as the end of the thread leaves nothing open', async () => {
    const { seen, scene, store } = whileSuspending('awaiting-approval', (agent) =>
      agent.endThread('t', 'bye'),
    );
    const agent = plain(seen);
    scene.agent = agent;
    await agent.run({ threadId: 't', message: 'go' });
    await scene.acting;
    expect(await agent.pendingApprovals()).toEqual([]);
    expect((await store.readEvents('t')).at(-1)).toMatchObject({ type: 'thread.ended' });
  });

  test('as a message that interrupts lets that message begin', async () => {
    const { seen, scene } = whileSuspending('awaiting-approval', (agent) =>
      agent.run({ threadId: 't', message: 'stop' }),
    );
    const agent = plain(seen, 'interrupt');
    scene.agent = agent;
    const first: RunResult = await agent.run({ threadId: 't', message: 'go' });
    expect(first.status).toBe('cancelled');
    expect(await scene.acting).toMatchObject({ status: 'completed', text: 'two' });
  });
});

test('a cancel beside a message that is refused ends what waits', async () => {
  const store = memoryStore();
  const agents: Agent[] = [];
  let cancelling: Promise<RunResult> | undefined;
  const slow: ThreadStore = new Proxy(store, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        if (key === 'load' && agents[0] !== undefined) cancelling ??= agents[0].cancel('t');
        return Reflect.apply(member, target, args);
      };
    },
  });
  expect((await plain(store).run({ threadId: 't', message: 'go' })).status).toBe(
    'awaiting-approval',
  );
  const agent = plain(slow);
  agents.push(agent);
  await expect(agent.run({ threadId: 't', message: 'more' })).rejects.toMatchObject({
    name: 'PendingApprovalError',
  });
  expect(await cancelling).toMatchObject({ status: 'cancelled' });
  expect(await agent.pendingApprovals()).toEqual([]);
});
