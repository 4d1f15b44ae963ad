import {
  agentTool,
  createAgent,
  type ModelRequest,
  memoryStore,
  scriptedModel,
  type ThreadStore,
  tool,
} from 'agent-hooks';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { dyingStore } from '../../loop/desk.ts';
import { askFirst, callClerk } from './team.ts';

/** A desk that may make four steps and asks two clerks at once; `asked` are the model calls of the clerks. */
function twoClerks(store: ThreadStore, asked: string[]) {
  const pay = tool({
    name: 'pay',
    description: 'Pays',
    inputSchema: z.object({}),
    tier: 'auto',
    execute: () => 'paid',
  });
  const read = tool({
    name: 'read',
    description: 'Reads',
    inputSchema: z.object({}),
    sideEffects: 'none',
    execute: () => 7,
  });
  const answer = ({ messages }: ModelRequest) => {
    const task = JSON.stringify(messages[0]?.content).includes('pay') ? 'pay' : 'read';
    asked.push(task);
    const isDone = asked.filter((one) => one === task).length > 2;
    return isDone ? 'done' : { toolCalls: [{ name: task, input: {} }] };
  };
  const clerk = createAgent({
    name: 'clerk',
    model: scriptedModel(Array.from({ length: 9 }, () => answer)),
    tools: [pay, read],
    hooks: [askFirst],
  });
  return createAgent({
    name: 'desk',
    model: scriptedModel([{ toolCalls: [callClerk('pay'), callClerk('read')] }, 'done']),
    tools: [agentTool(clerk, { name: 'clerk', description: 'Works' })],
    limits: { steps: 4 },
    store,
  });
}

test('what a sibling has used before a crash is counted before another subagent goes on', async () => {
  // The first clerk waits for a person, the second works, and the process dies somewhere between.
  for (let commits = 1; commits < 12; commits += 1) {
    const store = memoryStore();
    const asked: string[] = [];
    await twoClerks(dyingStore(store, commits), asked).run({ threadId: 't', message: 'go' });
    for (let token = 1; token < 4; token += 1)
      for (const id of ['t', 't/1.1.0', 't/1.1.1']) await store.release(id, token);
    const desk = twoClerks(store, asked);
    const answers = (await desk.pendingApprovals({ threadId: 't' })).map(({ approvalId }) => ({
      approvalId,
      approved: true,
      by: 'boss',
    }));
    if ((await store.load('t'))?.state['phase'] === undefined) continue;
    await desk.resume({ threadId: 't', answers }).catch(() => desk.cancel('t'));
    const steps = [];
    for (const id of ['t', 't/1.1.0', 't/1.1.1'])
      steps.push(...(await store.readEvents(id)).filter(({ type }) => type === 'step.started'));
    expect(steps.length, `after ${commits} commits`).toBeLessThanOrEqual(4);
  }
});

test('no subagent is begun after one that broke off', async () => {
  const store = memoryStore();
  let failures = 1;
  const failing: ThreadStore = new Proxy(store, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        if (key === 'claim' && args[0] === 't/1.1.0' && failures > 0) {
          failures -= 1;
          throw new Error('the disk is gone');
        }
        return Reflect.apply(member, target, args);
      };
    },
  });
  const asked: string[] = [];
  const desk = twoClerks(failing, asked);
  expect((await desk.run({ threadId: 't', message: 'go' })).status).toBe('failed');
  expect(asked).toEqual([]);
  await desk.resume({ threadId: 't' });
  expect(asked[0]).toBe('pay');
});
