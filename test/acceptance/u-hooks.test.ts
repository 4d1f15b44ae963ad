import { describe, expect, test } from 'vitest';
import {
  type AgentHooks,
  defineHooks,
  ModelError,
  scriptedModel,
  ToolDecision,
  type ToolInvocation,
} from '../../src/index.ts';
import { ofType, types } from './evidence.ts';
import { agentFor, counted, expectStatus, MODES, play, sleep } from './play.ts';
import { placesOf } from './traces.ts';

const call = { toolCalls: [{ name: 'look' }] };
const busy = () => new ModelError('overloaded', { where: 'model', what: 'xyzzy', fix: 'Wait' });

describe.each(MODES)('%s', (mode) => {
  test('U-X14, U-X17, U-X18: a request and a call hold what a policy judges and can be changed by nobody', async () => {
    const refused: string[] = [];
    const members: unknown[] = [];
    const writes = defineHooks({
      name: 'writes',
      preLlmRequest: (request, ctx) => {
        members.push(Object.keys(request).toSorted(), ctx.model, ctx.purpose);
        for (const key of ['messages', 'settings', 'tools', 'site']) {
          if (!Reflect.set(request, key, 5)) refused.push(key);
        }
      },
      preToolUse: (invocation) => {
        members.push([invocation.toolName, invocation.requestedInput, invocation.effectiveInput]);
        for (const key of ['toolName', 'effectiveInput', 'source']) {
          if (!Reflect.set(invocation, key, 5)) refused.push(key);
        }
      },
    });
    const look = counted('look');
    const scene = { model: scriptedModel([call, 'done']), tools: [look.tool], hooks: [writes] };
    expectStatus((await play(mode, scene)).result, 'completed');
    const request = ['messages', 'settings', 'tools', 'site'];
    expect(refused).toEqual([...request, 'toolName', 'effectiveInput', 'source', ...request]);
    const seen = [['messages', 'settings', 'tools'], 'scripted', 'main'];
    expect(members).toEqual([...seen, ['look', {}, {}], ...seen]);
  });

  test('U-X6, U-X19, U-Z5: who watches answers is told their size and end, never their content, and has no say', async () => {
    const told: unknown[] = [];
    const watches = defineHooks({
      name: 'watches',
      events: ['llm.responded'],
      onEvent: (event) => {
        told.push(event);
        throw new Error('boom');
      },
    });
    const look = counted('look');
    const script = [
      { text: 'xyzzy', ...call },
      { text: 'cut', finishReason: 'length' as const },
    ];
    const played = await play(mode, {
      model: scriptedModel(script),
      tools: [look.tool],
      hooks: [watches],
    });
    expect(expectStatus(played.result, 'completed').finishReason).toBe('length');
    expect(told).toMatchObject([
      { finishReason: 'tool-calls', toolCalls: 1, model: 'scripted' },
      { finishReason: 'length', toolCalls: 0 },
    ]);
    expect(JSON.stringify(told)).not.toContain('xyzzy');
  });

  test('U-X19, U-AC2: of a call that fails the code is told, and not its message', async () => {
    const played = await play(mode, { model: scriptedModel([busy()]) });
    expectStatus(played.result, 'failed');
    expect(ofType(played.heard, 'error.raised')).toMatchObject([{ code: 'overloaded' }]);
    expect(ofType(played.heard, 'turn.finished')).toMatchObject([{ status: 'failed' }]);
    const places = await placesOf('xyzzy', played);
    expect(places.filter((place) => place !== 'result' && place !== 'state')).toEqual([]);
  });

  test('U-AC3: a recovery is told as the decision of a policy, and the turn goes on', async () => {
    const recovers = defineHooks({ name: 'recovers', onError: () => true });
    const played = await play(mode, { model: scriptedModel([busy(), 'done']), hooks: [recovers] });
    expectStatus(played.result, 'completed');
    expect(ofType(played.heard, 'hook.decided')).toMatchObject([
      { policy: 'recovers', point: 'onError', decision: 'recover' },
    ]);
  });

  test('U-X11, U-X22: the text in the place of what failed is told before the turn ends, an empty one is none', async () => {
    for (const [text, shown] of [
      ['We are closed.', ['We are closed.']],
      ['', []],
    ] as const) {
      const scene = { model: scriptedModel([busy()]), fallbacks: { error: text } };
      const { heard } = await play(mode, scene);
      expect(ofType(heard, 'message.outgoing').map((event) => event.text)).toEqual(shown);
      expect(types(heard).at(-1)).toBe('turn.finished');
    }
  });

  test('U-X21: a refusal without a reason is no refusal and no leave: the policy has failed', async () => {
    const look = counted('look');
    const mute = defineHooks({ name: 'mute', preToolUse: () => ToolDecision.block('') });
    const played = await play(mode, {
      model: scriptedModel([call, 'done']),
      tools: [look.tool],
      hooks: [mute],
    });
    expect(expectStatus(played.result, 'failed').error).toMatchObject({ kind: 'illegal' });
    expect(look.inputs).toEqual([]);
  });

  test('U-X7, U-AA4: a refused call is answered with the reason, in one form', async () => {
    const look = counted('look');
    const closed = defineHooks({
      name: 'closed',
      preToolUse: () => ToolDecision.block('closed today'),
    });
    const model = scriptedModel([call, 'done']);
    const played = await play(mode, { model, tools: [look.tool], hooks: [closed] });
    expectStatus(played.result, 'completed');
    expect(look.inputs).toEqual([]);
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({
      role: 'tool',
      content: [{ outcome: 'blocked', isError: true, output: 'Blocked: closed today' }],
    });
  });

  test('U-AE1: a rule for one model is asked and says nothing of another', async () => {
    const rule = defineHooks({
      name: 'rule',
      preToolUse: (_call: ToolInvocation, { model }) =>
        model === 'nemotron' ? ToolDecision.block('not with this model') : undefined,
    });
    for (const [id, runs] of [
      ['nemotron', 0],
      ['other', 1],
    ] as const) {
      const look = counted('look');
      await play(mode, {
        model: scriptedModel([call, 'done'], { id }),
        tools: [look.tool],
        hooks: [rule],
      });
      expect(look.inputs).toHaveLength(runs);
    }
  });

  test('U-AF1, U-AF2: one policy serves a hundred threads at once, and each remembers its own', async () => {
    const counts: AgentHooks = {
      name: 'counts',
      preToolUse: async (_call, { memory }) => {
        const n = Number(memory.get('n') ?? 0);
        await sleep(1);
        memory.set('n', n + 1);
        return n >= 1 ? ToolDecision.block('once a thread') : ToolDecision.allow();
      },
    };
    const look = counted('look', { sideEffects: 'none', execute: ({ threadId }) => threadId });
    const threads = Array.from({ length: 100 }, (_, index) => `thread-${index}`);
    const model = scriptedModel(
      Array.from(
        { length: 300 },
        () =>
          ({ messages }: { readonly messages: readonly { readonly role: string }[] }) =>
            messages.filter(({ role }) => role === 'tool').length < 2 ? call : 'done',
      ),
    );
    const agent = agentFor(mode, { model, tools: [look.tool], hooks: [counts] });
    const results = await Promise.all(
      threads.map(async (threadId) => {
        const input = { threadId, message: 'go' };
        if (mode.startsWith('stream')) return agent.stream(input).result;
        if (mode === 'run') return agent.run(input);
        let result = await agent.runStep(input);
        while (result.status === 'continues') result = await agent.runStep({ threadId });
        return result;
      }),
    );
    for (const [index, result] of results.entries()) {
      const read = JSON.stringify(expectStatus(result, 'completed').messages);
      expect([read.includes(`"thread-${index}"`), read.includes('Blocked: once a thread')]).toEqual(
        [true, true],
      );
    }
    expect(look.inputs).toHaveLength(100);
  });

  test('U-AF3, U-AF4, U-AF6: policies made for a thread are made anew for each run, and nothing of an agent ends with one', async () => {
    const made: string[] = [];
    const shared = defineHooks({ name: 'shared', onTurnStart: () => undefined });
    const agent = agentFor(mode, {
      model: scriptedModel(['one', 'two', 'three']),
      hooks: ({ threadId }) => {
        made.push(threadId);
        return [shared, defineHooks({ name: `log of ${threadId}`, onTurnStart: () => undefined })];
      },
    });
    for (const threadId of ['a', 'b', 'a'])
      expectStatus(await agent.run({ threadId, message: 'hi' }), 'completed');
    expect(made).toEqual(['a', 'b', 'a']);
  });

  test('U-AF7, U-AF8: a list that changes while a run goes on changes neither it nor a later one', async () => {
    const asked: string[] = [];
    const hooks: AgentHooks[] = [];
    const named = (name: string, then?: () => void): AgentHooks => ({
      name,
      preLlmRequest: () => {
        asked.push(name);
        then?.();
      },
    });
    hooks.push(
      named('first', () => {
        if (hooks.length === 1) hooks.push(named('late'));
      }),
    );
    const look = counted('look');
    const played = await play(mode, {
      model: scriptedModel([call, 'done', 'again']),
      tools: [look.tool],
      hooks,
    });
    expectStatus(played.result, 'completed');
    expectStatus(await played.agent.run({ threadId: 't', message: 'more' }), 'completed');
    expect(asked).toEqual(['first', 'first', 'first']);
    const later = agentFor(mode, { model: scriptedModel(['x']), hooks });
    await later.run({ threadId: 'other', message: 'hi' });
    expect(asked.slice(3)).toEqual(['first', 'late']);
  });
});
