import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AgentHooks,
  agentTool,
  createAgent,
  defineHooks,
  hostTool,
  type ModelRequest,
  memoryStore,
  scriptedModel,
  tool,
} from 'agent-hooks';
import { toolSet } from 'agent-hooks/tools';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { watched } from './desk.ts';
import { agentOf, bodies, calling, heldTool, outcomes, turn } from './held-tools.ts';

describe('maxConcurrent of a tool', () => {
  test('holds over the threads of all agents that have it, in the order they came', async () => {
    const held = bodies();
    const shared = heldTool(held, 'look', { maxConcurrent: 2 });
    const order: string[] = [];
    const agents = ['a', 'b'].map((name) => agentOf(name, [shared]));
    const runs = [1, 2, 3].flatMap((n) =>
      agents.map(async (agent) => {
        const result = await agent.run({ threadId: `${agent.name}${n}`, message: 'go' });
        order.push(`${agent.name}${n}`);
        return result.status;
      }),
    );
    for (let done = 0; done < 6; done += 1) {
      await turn();
      expect(held.seen.now).toBe(Math.min(2, 6 - done));
      held.next();
    }
    expect(new Set(await Promise.all(runs))).toEqual(new Set(['completed']));
    expect(held.seen.most).toBe(2);
    expect(order).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'b3']);
  });

  test('holds within one batch, beside tools without a limit', async () => {
    const held = bodies();
    const free = bodies();
    const tools = [heldTool(held, 'look', { maxConcurrent: 1 }), heldTool(free, 'read')];
    const script = [calling('look', 'look', 'read', 'read'), 'done'];
    const agent = createAgent({ name: 'a', model: scriptedModel(script), tools });
    const run = agent.run({ message: 'go' });
    await turn();
    expect([held.seen.now, free.seen.now]).toEqual([1, 2]);
    for (const one of [free, free, held]) one.next();
    await turn();
    held.next();
    expect(outcomes(await run)).toEqual(Array(4).fill('succeeded'));
    expect(held.seen.most).toBe(1);
  });

  test('the wait is none of the tool`s time, in limits and in events', async () => {
    const held = bodies();
    const look = heldTool(held, 'look', { maxConcurrent: 1, timeoutMs: 1_000 });
    const agent = agentOf('a', [look]);
    const tookMs: number[] = [];
    agent.on('tool.succeeded', ({ durationMs }) => tookMs.push(durationMs));
    const since = performance.now();
    const runs = ['1', '2', '3'].map((threadId) => agent.run({ threadId, message: 'go' }));
    for (let n = 0; n < 3; n += 1) {
      await sleep(500);
      held.next();
    }
    const results = await Promise.all(runs);
    expect(results.flatMap(outcomes)).toEqual(Array(3).fill('succeeded'));
    await agent.settled();
    expect(tookMs).toHaveLength(3);
    // One after the other they are all of the time that went by, and not more.
    const sum = tookMs.reduce((all, ms) => all + ms, 0);
    expect(sum).toBeLessThan(performance.now() - since + 10);
  });

  test('a failure gives the slot back, thrown at once or later', async () => {
    const look = tool({
      name: 'look',
      inputSchema: z.object({}),
      sideEffects: 'none',
      maxConcurrent: 1,
      execute: (_input, { threadId }): Promise<null> | null => {
        if (threadId === 'now') throw new Error('no');
        return threadId === 'later' ? Promise.reject(new Error('no')) : null;
      },
    });
    const agent = agentOf('a', [look]);
    for (const threadId of ['now', 'later', 'now', 'never'])
      expect((await agent.run({ threadId, message: 'go' })).status).toBe('completed');
  });

  test('a body that goes on after its time, or after a cancel, keeps its slot until it ends', async () => {
    const held = bodies();
    const look = heldTool(held, 'look', { maxConcurrent: 1, timeoutMs: 30 });
    const agent = agentOf('a', [look]);
    const first = await agent.run({ threadId: '1', message: 'go' });
    expect(outcomes(first)).toEqual(['failed']);
    const second = agent.run({ threadId: '2', message: 'go' });
    await sleep(60);
    expect(held.seen.began).toHaveLength(1);
    held.next();
    await turn();
    expect(held.seen.began).toHaveLength(2);
    await agent.cancel('2');
    expect((await second).status).toBe('cancelled');
    const third = agent.run({ threadId: '3', message: 'go' });
    await turn();
    expect(held.seen.began).toHaveLength(2);
    held.next(new Error('too late'));
    await turn();
    held.next();
    expect(outcomes(await third)).toEqual(['succeeded']);
    expect(held.seen.most).toBe(1);
  });

  test('a call that goes on after an interruption keeps its slot', async () => {
    const held = bodies();
    const look = heldTool(held, 'look', {
      maxConcurrent: 1,
      sideEffects: 'once',
      interruption: 'continue',
    });
    const agent = agentOf('a', [look]);
    const first = agent.run({ threadId: '1', message: 'go' });
    await turn();
    await agent.cancel('1');
    expect(outcomes(await first)).toEqual(['running']);
    const second = agent.run({ threadId: '2', message: 'go' });
    await turn();
    expect(held.seen.began).toHaveLength(1);
    held.next();
    await turn();
    held.next();
    expect(outcomes(await second)).toEqual(['succeeded']);
    expect(held.seen.most).toBe(1);
  });

  test('a cancel ends the wait at once: nothing ran, and the slot is the next one`s', async () => {
    const held = bodies();
    const look = heldTool(held, 'look', { maxConcurrent: 1, sideEffects: 'once' });
    const store = memoryStore();
    const agent = agentOf('a', [look], { store });
    const [first, second, third] = ['1', '2', '3'].map((threadId) =>
      agent.run({ threadId, message: 'go' }),
    );
    await turn();
    const ledger = async () => {
      const called = (await store.readEvents('2')).flatMap((event) =>
        event.type === 'tool.called' ? [event.callId] : [],
      );
      expect(called).toHaveLength(1);
      return store.readLedger('2', called);
    };
    expect(await ledger()).toEqual([]);
    expect((await agent.cancel('2')).status).toBe('cancelled');
    expect(outcomes((await second) as never)).toEqual(['cancelled']);
    expect(await ledger()).toMatchObject([
      { status: 'finished', result: { outcome: 'cancelled' } },
    ]);
    held.next();
    await turn();
    held.next();
    expect([(await first)?.status, (await third)?.status]).toEqual(['completed', 'completed']);
    expect(held.seen.began).toHaveLength(2);
  });

  test('a cancel in the same moment as the slot runs nothing, and gives it on', async () => {
    const held = bodies();
    const look = heldTool(held, 'look', { maxConcurrent: 1 });
    const agent = agentOf('a', [look]);
    const controller = new AbortController();
    const first = agent.run({ threadId: '1', message: 'go' });
    await turn();
    const second = agent.run({ threadId: '2', message: 'go', signal: controller.signal });
    const third = agent.run({ threadId: '3', message: 'go' });
    await turn();
    held.next();
    // The body settles in a microtask, and the slot is handed on in those that follow.
    for (let n = 0; n < 12; n += 1) await Promise.resolve();
    controller.abort();
    const { status } = await second;
    held.next();
    await turn();
    held.next();
    await Promise.all([first, third]);
    expect(status).toBe('cancelled');
    expect(held.seen.most).toBe(1);
  });

  test('what a policy decides is asked before the wait, a precheck and locked values after it', async () => {
    const held = bodies();
    const asked: string[] = [];
    const hooks: AgentHooks = defineHooks({
      name: 'watch',
      preToolUse: () => {
        asked.push('policy');
      },
    });
    const look = heldTool(held, 'look', {
      maxConcurrent: 1,
      precheck: () => {
        asked.push('precheck');
      },
    });
    const agent = agentOf('a', [look], { hooks: [hooks] });
    const first = agent.run({ threadId: '1', message: 'go' });
    await turn();
    const before = [...asked];
    const second = agent.run({ threadId: '2', message: 'go' });
    await turn();
    expect(asked).toEqual([...before, 'policy', ...before.slice(1, -1)]);
    held.next();
    await turn();
    expect(asked.slice(before.length)).toEqual(before);
    held.next();
    await Promise.all([first, second]);
  });

  test('a policy around the call may run it twice: each run waits for its own slot', async () => {
    const held = bodies();
    const look = heldTool(held, 'look', { maxConcurrent: 1 });
    const twice: AgentHooks = defineHooks({
      name: 'twice',
      wrapToolUse: async (call, next) => {
        await next(call);
        return next(call);
      },
    });
    const agent = agentOf('a', [look], { hooks: [twice] });
    const run = agent.run({ message: 'go' });
    await turn();
    held.next();
    await turn();
    held.next();
    expect(outcomes(await run)).toEqual(['succeeded']);
    expect(held.seen).toMatchObject({ most: 1, began: ['look', 'look'] });
  });

  test('also where tools run without an agent', async () => {
    const held = bodies();
    const look = heldTool(held, 'look', { maxConcurrent: 1 });
    const agent = agentOf('a', [look]);
    const set = toolSet([look]);
    const calls = [set.call('look', {}), agent.run({ message: 'go' }), set.run('look', {})];
    const gone = new AbortController();
    const left = set.call('look', {}, { signal: gone.signal });
    gone.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    for (let n = 0; n < 3; n += 1) {
      await turn();
      expect(held.seen.now).toBe(1);
      held.next();
    }
    await Promise.all(calls);
    expect(held.seen).toMatchObject({ now: 0, most: 1 });
  });
});

describe('maxConcurrentTools of an agent', () => {
  test('holds over all its tools and runs, and no other agent', async () => {
    const held = bodies();
    const tools = ['one', 'two', 'three'].map((name) => heldTool(held, name));
    const agent = agentOf('a', tools, { maxConcurrentTools: 4 });
    const runs = ['1', '2', '3'].map((threadId) => agent.run({ threadId, message: 'go' }));
    for (let done = 0; done < 9; done += 1) {
      await turn();
      expect(held.seen.now).toBe(Math.min(4, 9 - done));
      held.next();
    }
    await Promise.all(runs);
    const other = agentOf('b', tools).run({ message: 'go' });
    await turn();
    expect(held.seen.now).toBe(3);
    for (let n = 0; n < 3; n += 1) held.next();
    await other;
  });

  test('a call that waits for its own tool keeps none of the agent`s slots', async () => {
    const held = bodies();
    const free = bodies();
    const look = heldTool(held, 'look', { maxConcurrent: 1 });
    const other = heldTool(free, 'other');
    const script = Array.from({ length: 40 }, () => calling('look', 'look', 'other'));
    const model = scriptedModel(script);
    const agent = createAgent({ name: 'a', model, tools: [look, other], maxConcurrentTools: 2 });
    const run = agent.run({ message: 'go' });
    await turn();
    expect([held.seen.now, free.seen.now]).toEqual([1, 1]);
    free.next();
    held.next();
    await turn();
    held.next();
    expect(outcomes(await run)).toEqual(Array(3).fill('succeeded'));
  });

  test('of subagents the calls below count, and nobody waits for itself', async () => {
    const held = bodies();
    const look = heldTool(held, 'look', { maxConcurrent: 1 });
    const one = { maxConcurrentTools: 1 };
    const low = agentOf('low', [look], one);
    const mid = createAgent({
      name: 'mid',
      model: scriptedModel(Array.from({ length: 40 }, () => calling('low', 'look', 'low'))),
      tools: [agentTool(low, { name: 'low', description: 'Looks' }), look],
      ...one,
    });
    const top = createAgent({
      name: 'top',
      model: scriptedModel(
        Array.from(
          { length: 40 },
          () =>
            ({ messages }: ModelRequest) =>
              messages.at(-1)?.role === 'tool'
                ? 'done'
                : {
                    toolCalls: ['mid', 'look', 'low'].map((name) => ({
                      name,
                      input: name === 'look' ? {} : { task: 'go' },
                    })),
                  },
        ),
      ),
      tools: [
        agentTool(mid, { name: 'mid', description: 'Looks' }),
        agentTool(low, { name: 'low', description: 'Looks' }),
        look,
      ],
      ...one,
    });
    const runs = ['1', '2', '3'].map((threadId) => top.run({ threadId, message: 'go' }));
    let over = false;
    void Promise.all(runs).finally(() => {
      over = true;
    });
    for (let n = 0; n < 400 && !over; n += 1) {
      held.next();
      await sleep(2);
    }
    for (const result of await Promise.all(runs)) {
      expect(result.status).toBe('completed');
      expect(outcomes(result)).toEqual(Array(3).fill('succeeded'));
    }
    expect(held.seen.most).toBe(1);
    expect(held.seen.began.length).toBeGreaterThanOrEqual(9);
  });

  test('what the host runs takes no slot', async () => {
    const held = bodies();
    const pick = hostTool({ name: 'pick', inputSchema: z.object({}), sideEffects: 'none' });
    const model = scriptedModel([calling('look'), calling('pick')]);
    const tools = [heldTool(held, 'look'), pick];
    const agent = createAgent({ name: 'a', model, tools, maxConcurrentTools: 1 });
    void agent.run({ threadId: '1', message: 'go' });
    await turn();
    expect(held.seen.now).toBe(1);
    expect((await agent.run({ threadId: '2', message: 'go' })).status).toBe('awaiting-tools');
  });

  test('a harmless call costs no commit more, and the ledger has nothing of it', async () => {
    const commits: number[] = [];
    for (const more of [{}, { maxConcurrent: 1 }]) {
      const store = memoryStore();
      const held = bodies();
      let count = 0;
      const counting = watched(store, ({ ledger }) => {
        count += 1;
        expect(ledger).toEqual([]);
      });
      const run = agentOf('a', [heldTool(held, 'look', more)], { store: counting }).run({
        message: 'go',
      });
      await turn();
      held.next();
      await run;
      commits.push(count);
    }
    expect(commits[0]).toBe(commits[1]);
  });
});

describe('a limit that is none', () => {
  for (const given of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '2', null]) {
    test(`${JSON.stringify(given) ?? String(given)} is refused where it is written`, () => {
      const held = bodies();
      expect(() => heldTool(held, 'look', { maxConcurrent: given as never })).toThrow(
        expect.objectContaining({
          code: 'invalid-tool',
          message: expect.stringMatching(
            /tool 'look'.*`maxConcurrent` is not a whole number from 1/,
          ),
        }),
      );
      expect(() => agentOf('a', [], { maxConcurrentTools: given as never })).toThrow(
        expect.objectContaining({
          code: 'invalid-option',
          message: expect.stringContaining('maxConcurrentTools'),
        }),
      );
    });
  }

  test('a subagent and what the host runs have none of their own', () => {
    const agent = agentOf('a', []);
    const limit = { maxConcurrent: 1 };
    const delegate = { name: 'sub', description: 'Does it', ...limit };
    expect(() => agentTool(agent, delegate)).toThrow(/no option 'maxConcurrent'/);
    const picked = { name: 'pick', inputSchema: z.object({}), ...limit };
    expect(() => hostTool(picked)).toThrow(/`maxConcurrent` is for a tool that the engine runs/);
  });
});
