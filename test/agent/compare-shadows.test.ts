import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { compareShadows, shadowComparisons } from '../../src/agent/compare-shadows.ts';
import { createAgent } from '../../src/agent/create-agent.ts';
import { MessageDecision } from '../../src/decisions/message-decision.ts';
import { ToolDecision } from '../../src/decisions/tool-decision.ts';
import type { AgentHooks } from '../../src/hooks/agent-hooks.ts';
import { shadow } from '../../src/hooks/shadow.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import type { ThreadStore } from '../../src/stores/port.ts';
import { sqliteStore } from '../../src/stores/sqlite.ts';
import { tool } from '../../src/tools/tool.ts';

const pay = tool({
  name: 'pay',
  description: 'Pays',
  inputSchema: z.object({ euros: z.number() }),
  tier: 'auto',
  execute: () => 'paid',
});
const send = tool({
  name: 'send',
  description: 'Sends',
  inputSchema: z.object({}),
  tier: 'confirm',
  execute: () => 'sent',
});

const limit: AgentHooks = {
  name: 'limit',
  preToolUse: ({ effectiveInput }) =>
    Number(effectiveInput['euros']) > 100 ? ToolDecision.block('above 100') : undefined,
};
const stricter: AgentHooks = {
  name: 'stricter',
  version: '2',
  preToolUse({ toolName, effectiveInput }) {
    if (toolName === 'send') return ToolDecision.allow();
    const euros = Number(effectiveInput['euros']);
    if (euros === 13) throw new Error('unlucky');
    return euros > 50 ? ToolDecision.block('above 50') : undefined;
  },
  onUserMessage: ({ text }) => (/fraud/.test(text) ? MessageDecision.block('fraud') : undefined),
};

/** One turn for each list of amounts, on a thread for each list of turns. */
async function play(store: ThreadStore, threads: readonly (readonly (readonly number[])[])[]) {
  for (const [index, turns] of threads.entries()) {
    const script = turns.flatMap((euros) => [
      { toolCalls: euros.map((amount) => ({ name: 'pay', input: { euros: amount } })) },
      'ok',
    ]);
    const agent = createAgent({
      name: 'desk',
      model: scriptedModel(script),
      tools: [pay],
      hooks: [limit, shadow(stricter)],
      store,
    });
    for (const _ of turns) await agent.run({ threadId: `t${index + 1}`, message: 'pay' });
  }
  return store;
}

const WITHOUT_TEXT = { maxDifferences: 10 };

describe('compareShadows', () => {
  test.each([
    ['memory', () => memoryStore()],
    ['sqlite', () => sqliteStore({ path: ':memory:' })],
  ])('tells agreements and differences, with their place (%s)', async (_, open) => {
    const store = await play(open(), [[[5], [70]], [[200, 60]]]);
    const report = await compareShadows(store, WITHOUT_TEXT);
    expect(report).toMatchObject({
      threads: 2,
      notListed: 0,
      rows: [
        {
          policy: 'stricter',
          point: 'onUserMessage',
          asked: 3,
          agreements: 3,
          differences: 0,
          pairs: { 'none, none': 3 },
        },
        {
          policy: 'stricter',
          point: 'preToolUse',
          asked: 4,
          agreements: 2,
          differences: 2,
          pairs: { 'none, none': 1, 'block, none': 2, 'block, block': 1 },
        },
      ],
    });
    const place = { policy: 'stricter', version: '2', point: 'preToolUse', toolName: 'pay' };
    const differs = { would: 'block', wouldReason: 'above 50', enforced: 'none', agrees: false };
    expect(report.differences).toEqual([
      { threadId: 't1', turnId: '2', step: 1, callId: '2.1.0', ...place, ...differs },
      { threadId: 't2', turnId: '1', step: 1, callId: '1.1.1', ...place, ...differs },
    ]);
    expect(report.text.split('\n')).toEqual([
      'policies on trial in 2 threads',
      'stricter at onUserMessage: asked 3, agreed 3, differed 0',
      '  would none, was none: 3',
      'stricter at preToolUse: asked 4, agreed 2, differed 2',
      '  would none, was none: 1',
      '  would block, was none: 2',
      '  would block, was block: 1',
      'thread t1, turn 2, step 1, call 2.1.0 of pay: stricter at preToolUse would block (above 50), was none',
      'thread t2, turn 1, step 1, call 1.1.1 of pay: stricter at preToolUse would block (above 50), was none',
    ]);
    expect(JSON.parse(JSON.stringify(report))).toEqual(report);
    await store.close?.();
  });

  test('a failure on trial is a difference, and names its kind', async () => {
    const store = await play(memoryStore(), [[[13]]]);
    const { differences } = await compareShadows(store);
    expect(differences).toMatchObject([
      { would: 'failed', wouldReason: 'threw', enforced: 'none' },
    ]);
  });

  test('what the tier of a tool asks for counts as enforced', async () => {
    const store = memoryStore();
    const toolCalls = [{ name: 'send', input: {} }];
    const model = scriptedModel([{ toolCalls }]);
    const agent = createAgent({
      name: 'a',
      model,
      tools: [send],
      hooks: [shadow(stricter)],
      store,
    });
    await agent.run({ threadId: 't', message: 'send' });
    const { differences } = await compareShadows(store);
    expect(differences).toMatchObject([
      { would: 'allow', enforced: 'requires-confirmation', enforcedBy: 'tier', callId: '1.1.0' },
    ]);
  });

  test('lists no more than it may, counts the rest, and knows one policy and some threads', async () => {
    const store = await play(memoryStore(), [[[60, 70, 80]], [[90]]]);
    const short = await compareShadows(store, { maxDifferences: 2 });
    expect([short.differences.length, short.notListed]).toEqual([2, 2]);
    expect(short.text).toMatch(/and 2 more differences$/);
    expect((await compareShadows(store, { policy: 'other' })).rows).toEqual([]);
    const one = await compareShadows(store, { threadIds: ['t2'] });
    expect([one.threads, one.differences.length]).toEqual([1, 1]);
    expect((await compareShadows(memoryStore())).text).toBe('no policy on trial in 0 threads');
  });

  test('reads in pages and keeps one turn: every page size tells the same', async () => {
    const store = await play(memoryStore(), [[[60], [5], [200]], [[70]], [[1]]]);
    const whole = await compareShadows(store);
    for (const pageSize of [1, 2, 7])
      expect(await compareShadows(store, { pageSize })).toEqual(whole);
    const asked: number[] = [];
    const readEvents: ThreadStore['readEvents'] = async (id, options) => {
      const page = await store.readEvents(id, options);
      asked.push(page.length);
      return page;
    };
    const counting = new Proxy(store, {
      get: (target, key) =>
        key === 'readEvents' ? readEvents : Reflect.get(target, key).bind(target),
    });
    for await (const one of shadowComparisons(counting, { pageSize: 3 })) if (!one.agrees) break;
    expect(Math.max(...asked)).toBe(3);
    // The first difference is told before the thread is read to its end.
    expect(asked.length).toBeLessThan(12);
  });

  test('an option that cannot be used is refused', async () => {
    await expect(compareShadows(memoryStore(), { pageSize: 0 })).rejects.toThrow(/`pageSize`/);
    await expect(compareShadows(memoryStore(), { maxDifferences: -1 })).rejects.toThrow(/`maxDiff/);
  });
});
