import { setTimeout as sleep } from 'node:timers/promises';
import { createAgent, defineHooks, scriptedModel, ToolDecision } from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { callPay, desk } from '../loop/desk.ts';

async function ended(text = 'hello') {
  const agent = createAgent({ name: 'a', model: scriptedModel([text, text]) });
  await agent.run({ threadId: 't', message: 'go' });
  return agent;
}

async function msOf(run: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await run();
  return performance.now() - before;
}

describe('U-AC5, U-AC12: the end of a thread waits for the observers of its end', () => {
  test('that are asynchronous, until they are done', async () => {
    const agent = await ended();
    let done = false;
    agent.on('thread.*', async ({ reason }) => {
      await sleep(50);
      done = reason === 'bye';
    });
    await agent.endThread('t', 'bye');
    expect(done).toBe(true);
  });

  test('and an id that is none is refused in its name', async () => {
    const agent = await ended();
    await expect(agent.endThread('', 'bye')).rejects.toThrow(/^agent.endThread: `threadId`/);
  });

  test('up to the limit of each', async () => {
    const agent = await ended();
    agent.on('thread.ended', () => sleep(10_000, undefined, { ref: false }));
    const ms = await msOf(() => agent.endThread('t', 'bye'));
    expect(ms).toBeGreaterThan(90);
    expect(ms).toBeLessThan(1_000);
  });

  test('up to one limit for all, however long each may take', async () => {
    const agent = await ended();
    const controller = new AbortController();
    agent.on('thread.ended', () => sleep(10_000, undefined, { signal: controller.signal }), {
      timeoutMs: 20_000,
    });
    const ms = await msOf(() => agent.endThread('t', 'bye', { observersMs: 60 }));
    expect(ms).toBeGreaterThan(50);
    expect(ms).toBeLessThan(1_000);
    controller.abort();
  });

  test('and not for those of other events, or of other threads', async () => {
    const agent = createAgent({ name: 'a', model: scriptedModel(['one', 'two']) });
    const controller = new AbortController();
    const hang = () => sleep(10_000, undefined, { signal: controller.signal });
    agent.on('turn.*', hang, { timeoutMs: 20_000 });
    await agent.run({ threadId: 't', message: 'go' });
    await agent.run({ threadId: 'other', message: 'go' });
    agent.on('thread.ended', ({ threadId }) => (threadId === 'other' ? hang() : undefined), {
      timeoutMs: 20_000,
    });
    const other = agent.endThread('other', 'bye', { observersMs: 300 });
    expect(await msOf(() => agent.endThread('t', 'bye'))).toBeLessThan(200);
    await other;
    controller.abort();
  });

  test('an observer that fails does not fail it', async () => {
    const agent = await ended();
    const codes: string[] = [];
    agent.on('error.raised', ({ code }) => codes.push(code));
    agent.on('thread.ended', () => Promise.reject(new Error('no')));
    agent.on('thread.ended', () => {
      throw new Error('no');
    });
    await expect(agent.endThread('t', 'bye')).resolves.toBeUndefined();
    expect(codes).toEqual(['observer-failed', 'observer-failed']);
  });

  test.each([-1, Number.NaN, 2 ** 31, '5', Number.POSITIVE_INFINITY])(
    'a limit of %s is refused before anything ends',
    async (observersMs) => {
      const agent = await ended();
      const heard: string[] = [];
      agent.on('thread.ended', ({ type }) => heard.push(type));
      await expect(agent.endThread('t', 'bye', { observersMs } as never)).rejects.toMatchObject({
        code: 'invalid-option',
      });
      await expect(agent.endThread('t', 'bye', { limit: 1 } as never)).rejects.toMatchObject({
        code: 'unknown-option',
      });
      expect(heard).toEqual([]);
    },
  );

  test('what is refused does not end the turn that is open', async () => {
    const asks = defineHooks({
      name: 'asks',
      preToolUse: () => ToolDecision.requiresConfirmation('pay?'),
    });
    const { agent } = desk({ script: [{ toolCalls: [callPay(5)] }], hooks: [asks] });
    await agent.run({ threadId: 't', message: 'go' });
    await expect(agent.endThread('t', 'bye', { observersMs: -1 })).rejects.toThrow();
    expect(await agent.pendingApprovals({ threadId: 't' })).toHaveLength(1);
  });

  test('nothing of the wait is left when it is over', async () => {
    const timers = () =>
      process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const agent = await ended();
    agent.on('thread.ended', () => sleep(5));
    const before = timers();
    await agent.endThread('t', 'bye');
    expect(timers()).toBeLessThanOrEqual(before);
  });
});
