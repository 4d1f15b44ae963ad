import { describe, expect, test } from 'vitest';
import {
  defineHooks,
  type HookContext,
  memoryStore,
  scriptedModel,
  type ToolContext,
  ToolDecision,
  type ToolInvocation,
  type ToolResult,
  toolResultsOf,
} from '../../src/index.ts';
import { failingStore } from './failing-store.ts';
import { agentFor, counted, expectStatus, MODES, play, stores } from './play.ts';
import { expectSound } from './traces.ts';

const call = { toolCalls: [{ name: 'look' }] };
const TELLING = ['llm.delta', 'tool.progress', 'text.retracted', 'llm.retrying'];

describe.each(MODES)('%s', (mode) => {
  test('7.7: postToolUse is asked once about each call that ran, last policy first, and about no other', async () => {
    const asked: unknown[] = [];
    const asks = (name: string) =>
      defineHooks({
        name,
        preToolUse: ({ toolName }) => (toolName === 'wipe' ? ToolDecision.block('no') : undefined),
        postToolUse({ callId, tier, effectiveInput }: ToolInvocation, result: ToolResult) {
          asked.push([name, callId, tier, effectiveInput, result.outcome]);
        },
      });
    const look = counted('look');
    const fail = counted('fail', { execute: () => Promise.reject(new Error('declined')) });
    const wipe = counted('wipe');
    const calls = [
      { name: 'look', input: { id: 'a' } },
      { name: 'fail' },
      { name: 'wipe' },
      { name: 'nothing' },
      { name: 'look', input: { id: 7 } },
    ];
    const model = scriptedModel([{ toolCalls: calls }, 'done']);
    const tools = [look.tool, fail.tool, wipe.tool];
    const played = await play(mode, { model, tools, hooks: [asks('outer'), asks('inner')] });
    expectStatus(played.result, 'completed');
    expect(asked).toEqual([
      ['inner', '1.1.0', 'auto', { id: 'a' }, 'succeeded'],
      ['outer', '1.1.0', 'auto', { id: 'a' }, 'succeeded'],
      ['inner', '1.1.1', 'auto', {}, 'failed'],
      ['outer', '1.1.1', 'auto', {}, 'failed'],
    ]);
    await expectSound(played);
  });

  test('7.7, X29: nor about one that was given up on, as its result is not known', async () => {
    const asked: string[] = [];
    const asks = defineHooks({
      name: 'asks',
      postToolUse: ({ toolName }) => void asked.push(toolName),
    });
    const never = () => new Promise(() => undefined);
    const pay = counted('pay', { sideEffects: 'once', timeoutMs: 10, execute: never });
    const look = counted('look', { sideEffects: 'none', execute: never });
    const abort = new AbortController();
    const toolCalls = [{ name: 'pay' }, { name: 'look' }, { name: 'pay' }];
    const begun = () => {
      setTimeout(() => abort.abort(), 40);
      return { toolCalls };
    };
    const played = await play(
      mode,
      {
        model: scriptedModel([begun]),
        tools: [pay.tool, look.tool],
        hooks: [asks],
        cancelGraceMs: 1,
      },
      { signal: abort.signal },
    );
    const { messages } = expectStatus(played.result, 'cancelled');
    const outcomes = messages.flatMap(toolResultsOf).map(({ outcome }) => outcome);
    expect(outcomes.slice(0, 2)).toEqual(['unknown', 'cancelled']);
    expect(asked).toEqual([]);
    await expectSound(played);
  });

  test('7.8: a policy that watches hears every event in its order, with its number, when it is stored', async () => {
    const store = memoryStore();
    const seen: { readonly type: string; readonly seq: number; readonly isStored: boolean }[] = [];
    const watches = defineHooks({
      name: 'watches',
      onEvent({ type, seq }) {
        // The memory store answers at once.
        const events = store.readEvents('t') as readonly { readonly seq: number }[];
        seen.push({ type, seq, isStored: events.some((event) => event.seq === seq) });
      },
    });
    const look = counted('look', {
      execute: ({ progress }) => {
        progress('half');
      },
    });
    const scene = { store, model: scriptedModel([call, 'done']), tools: [look.tool] };
    const played = await play(mode, { ...scene, hooks: [watches] });
    expect(seen.map(({ type }) => type)).toEqual(played.heard.map(({ type }) => type));
    expect(seen.map(({ type }) => type)).toContain('tool.progress');
    const numbered = seen.filter(({ type }) => !TELLING.includes(type));
    expect(numbered.map(({ seq }) => seq)).toEqual(numbered.map((_, index) => index + 1));
    expect(numbered.filter(({ isStored }) => !isStored)).toEqual([]);
  });

  test('7.37: a limit of the turn begins again with each turn, and one of the thread does not', async () => {
    const look = counted('look');
    const script = [call, 'one', call, 'never'];
    const model = scriptedModel(script, { strict: true });
    const limits = { steps: 2, thread: { steps: 3 } };
    const scene = { store: memoryStore(), model, tools: [look.tool], limits };
    expectStatus((await play(mode, scene)).result, 'completed');
    const second = await play(mode, scene);
    expect(expectStatus(second.result, 'limited').limit).toBe('thread-steps');
    const third = await play(mode, scene);
    expect(expectStatus(third.result, 'limited').limit).toBe('thread-steps');
    expect([model.calls, look.inputs.length]).toEqual([3, 2]);
    const own = { ...scene, limits: { steps: 2 }, model: scriptedModel(['two']) };
    expectStatus((await play(mode, own)).result, 'completed');
  });

  test('7.37: tokens of a thread add up over its turns, and those of another thread do not count', async () => {
    const model = scriptedModel(Array.from({ length: 5 }, () => 'hi'));
    const scene = { store: memoryStore(), model, limits: { thread: { tokens: 60 } } };
    const run = async (threadId: string) => (await play(mode, scene, { threadId })).result;
    for (const threadId of ['t', 't', 'u']) expectStatus(await run(threadId), 'completed');
    expect(expectStatus(await run('t'), 'limited').limit).toBe('thread-tokens');
    expectStatus(await run('u'), 'completed');
    expect(model.calls).toBe(4);
  });

  test.each(['length', 'stop'] as const)(
    '7.40: the result of an answer that ended with "%s" says so',
    async (finishReason) => {
      const model = scriptedModel([{ text: 'and then', finishReason }]);
      const played = await play(mode, { model });
      expect(expectStatus(played.result, 'completed')).toMatchObject({ finishReason });
    },
  );
});

describe.each(stores())('%s store', (_name, open) => {
  test('7.33: a tool knows its call, its attempt, and a key that is the same for every attempt', async () => {
    const seen: Pick<ToolContext, 'callId' | 'attempt' | 'idempotencyKey'>[] = [];
    const book = counted('look', {
      sideEffects: 'idempotent',
      execute: ({ callId, attempt, idempotencyKey }) => {
        seen.push({ callId, attempt, idempotencyKey });
      },
    });
    const two = { toolCalls: [{ name: 'look' }, { name: 'look' }] };
    const model = scriptedModel([two, 'done', call, 'done']);
    // The commit of the results is lost, so that another process has to make both calls again.
    const store = failingStore(open(), (commit) => commit === 3);
    const scene = { store, model, tools: [book.tool] };
    expectStatus((await play('run', scene)).result, 'failed');
    store.repair();
    const resumed = await agentFor('run', scene).resume({ threadId: 't' });
    expectStatus(resumed, 'completed');
    await agentFor('run', scene).run({ threadId: 'u', message: 'hello' });
    expect(seen.map(({ callId, attempt }) => [callId, attempt])).toEqual([
      ['1.1.0', 1],
      ['1.1.1', 1],
      ['1.1.0', 2],
      ['1.1.1', 2],
      ['1.1.0', 1],
    ]);
    const [first, second, again, , elsewhere] = seen.map(({ idempotencyKey }) => idempotencyKey);
    expect(again).toBe(first);
    expect(new Set([first, second, elsewhere]).size).toBe(3);
  });

  test('7.10: a policy knows where it is asked and for whom, at every point', async () => {
    const seen = new Map<string, unknown>();
    const context = { tenant: 'x' };
    const note = (point: string, ctx: HookContext): undefined => {
      const { threadId, turnId, step, attempt, model, signal } = ctx;
      const history = ctx.messages.length;
      const facts = { threadId, turnId, step, attempt, history, model, sender: ctx.sender };
      seen.set(point, { ...facts, sameContext: ctx.context === context, aborted: signal.aborted });
    };
    const knows = defineHooks({
      name: 'knows',
      onTurnStart: (_turn, ctx) => note('onTurnStart', ctx),
      onUserMessage: (_message, ctx) => note('onUserMessage', ctx),
      preLlmRequest: (_request, ctx) => note('preLlmRequest', ctx),
      onLlmResponse: (_response, ctx) => note('onLlmResponse', ctx),
      preToolUse: (_call, ctx) => note('preToolUse', ctx),
      postToolUse: (_call, _result, ctx) => note('postToolUse', ctx),
      onOutgoingMessage: (_message, ctx) => note('onOutgoingMessage', ctx),
    });
    const model = scriptedModel([call, 'done']);
    const tools = [counted('look').tool];
    const agent = agentFor('run', { store: open(), model, tools, hooks: [knows] });
    await agent.run({ threadId: 't', message: 'hello', context, sender: 'ada' });
    const facts = { threadId: 't', turnId: '1', model: 'scripted', sender: 'ada' };
    const where = {
      ...{ onTurnStart: [0, 0, 0], onUserMessage: [0, 0, 0] },
      ...{ preToolUse: [1, 1, 1], postToolUse: [1, 1, 2] },
      ...{ preLlmRequest: [2, 1, 3], onLlmResponse: [2, 1, 3], onOutgoingMessage: [2, 1, 3] },
    };
    for (const [point, [step, attempt, history]] of Object.entries(where)) {
      const there = { ...facts, step, attempt, history, sameContext: true, aborted: false };
      expect([point, seen.get(point)]).toEqual([point, there]);
    }
  });
});
