import { describe, expect, test } from 'vitest';
import {
  defineHooks,
  fallbackModel,
  ModelError,
  type ModelSettings,
  RequestDecision,
  routerModel,
  scriptedModel,
} from '../../src/index.ts';
import { ofType } from './evidence.ts';
import { counted, expectStatus, illegal, MODES, play } from './play.ts';

const call = { toolCalls: [{ name: 'look' }] };
const SETTINGS: ModelSettings = {
  temperature: 0.2,
  topP: 0.9,
  maxTokens: 64,
  presencePenalty: 0.1,
  frequencyPenalty: -0.1,
  stop: ['END', 'STOP'],
  seed: 7,
};

/** Sets these for the first call of a turn, and nothing for the others. */
function sets(settings: unknown, seen: unknown[] = []) {
  return defineHooks({
    name: 'sets',
    preLlmRequest: (request, { step }) => {
      seen.push(request.settings);
      return step === 1
        ? RequestDecision.modify({ ...request, settings: illegal(settings) })
        : undefined;
    },
  });
}

describe.each(MODES)('%s', (mode) => {
  test('M-72, M-73, M-76, U-AE2, U-AE3: settings begin empty; the seven reach the model, over those of the agent, for one call only', async () => {
    const look = counted('look');
    const model = scriptedModel([call, 'done']);
    const seen: unknown[] = [];
    const settings = { temperature: 1, maxTokens: 500 };
    const scene = { model, settings, tools: [look.tool], hooks: [sets(SETTINGS, seen)] };
    expectStatus((await play(mode, scene)).result, 'completed');
    expect(seen).toEqual([{}, {}]);
    expect(model.requests.map((request) => request.settings)).toEqual([SETTINGS, settings]);
  });

  test('U-AE3: what a policy leaves out stays as the agent has it', async () => {
    const model = scriptedModel(['done']);
    const settings = { temperature: 1, maxTokens: 500 };
    await play(mode, { model, settings, hooks: [sets({ temperature: 0 })] });
    expect(model.requests[0]?.settings).toEqual({ temperature: 0, maxTokens: 500 });
  });

  test.each<[string, object]>([
    ['a word for a number', { temperature: 'hot' }],
    ['no number', { topP: Number.NaN }],
    ['a truth value', { presencePenalty: true }],
    ['a number for a text', { stop: 5 }],
    ['a list with a number', { stop: ['a', 1] }],
    ['half a seed', { seed: 1.5 }],
    ['no tokens', { maxTokens: 0 }],
    ['half a token', { maxTokens: 1.5 }],
    ['a key of the provider', { apiKey: 'sk-1' }],
    ['another model', { model: 'other' }],
    ['another address', { baseURL: 'http://evil' }],
  ])(
    'M-74, M-75: %s is a failure of the policy, and no call is made with the rest of it',
    async (_what, settings) => {
      const model = scriptedModel(['done']);
      const played = await play(mode, {
        model,
        hooks: [sets({ seed: 7, ...settings })],
      });
      expect(expectStatus(played.result, 'failed').error).toMatchObject({
        kind: 'invalid-rewrite',
      });
      expect(model.calls).toBe(0);
    },
  );

  test('M-75: one stop text is as good as a list of them', async () => {
    const model = scriptedModel(['done']);
    await play(mode, { model, hooks: [sets({ stop: 'END' })] });
    expect(model.requests[0]?.settings).toEqual({ stop: 'END' });
  });

  test('M-71, M-77: a request without messages, or with other tools, is not sent', async () => {
    for (const patch of [{ messages: [] }, { tools: [] }]) {
      const model = scriptedModel(['done']);
      const strips = defineHooks({
        name: 'strips',
        preLlmRequest: (request) => RequestDecision.modify({ ...request, ...patch }),
      });
      const scene = { model, tools: [counted('look').tool], hooks: [strips] };
      expectStatus((await play(mode, scene)).result, 'failed');
      expect(model.calls).toBe(0);
    }
  });

  test('X4, M-69: preLlmRequest is asked once for each call, about what is sent', async () => {
    const asked: unknown[] = [];
    const look = counted('look');
    const model = scriptedModel([call, call, 'done']);
    const watches = defineHooks({
      name: 'watches',
      preLlmRequest: ({ messages, tools }, ctx) => {
        asked.push([ctx.step, ctx.purpose, ctx.model, messages, tools]);
      },
    });
    const scene = { model, tools: [look.tool], instructions: 'Be kind.', hooks: [watches] };
    expectStatus((await play(mode, scene)).result, 'completed');
    expect(asked).toEqual(
      model.requests.map(({ messages, tools }, index) => [
        index + 1,
        'main',
        'scripted',
        messages,
        tools,
      ]),
    );
    expect(asked).toHaveLength(3);
  });

  test('X4: and once for the call after an approval', async () => {
    let asked = 0;
    const look = counted('look', { tier: 'confirm' });
    const watches = defineHooks({
      name: 'watches',
      preLlmRequest: () => {
        asked += 1;
      },
    });
    const scene = { model: scriptedModel([call, 'done']), tools: [look.tool], hooks: [watches] };
    const played = await play(mode, scene);
    const { approvals } = expectStatus(played.result, 'awaiting-approval');
    expect(asked).toBe(1);
    const answers = approvals.map(({ approvalId }) => ({ approvalId, approved: true, by: 'ann' }));
    expectStatus(await played.agent.resume({ threadId: 't', answers }), 'completed');
    expect(asked).toBe(2);
  });

  test('M-82: what a policy takes out of a request is still in the history, and in the next request', async () => {
    const model = scriptedModel(['one', 'two']);
    const hides = defineHooks({
      name: 'hides',
      preLlmRequest: (request) =>
        request.messages.length === 1
          ? RequestDecision.modify({
              ...request,
              messages: [{ role: 'user', content: [{ type: 'text', text: '***' }] }],
            })
          : undefined,
    });
    const played = await play(mode, { model, hooks: [hides] }, { message: 'xyzzy' });
    await played.agent.run({ threadId: 't', message: 'more' });
    expect(JSON.stringify(model.requests[0])).not.toContain('xyzzy');
    expect(JSON.stringify(model.requests[1])).toContain('xyzzy');
    expect(JSON.stringify(await played.store.readMessages('t'))).toContain('xyzzy');
  });

  test('U-AG3: the system prompt comes first, and goes out where a policy that is asked about it puts it', async () => {
    const model = scriptedModel(['one', 'two']);
    const roles: string[][] = [];
    const moves = defineHooks({
      name: 'moves',
      preLlmRequest: (request) => {
        roles.push(request.messages.map(({ role }) => role));
        const [prompt, ...rest] = request.messages;
        return request.messages.length > 2 && prompt !== undefined
          ? RequestDecision.modify({ ...request, messages: [...rest, prompt] })
          : undefined;
      },
    });
    const played = await play(mode, { model, instructions: 'Be kind.', hooks: [moves] });
    expectStatus(played.result, 'completed');
    expectStatus(await played.agent.run({ threadId: 't', message: 'more' }), 'completed');
    expect(roles).toEqual([
      ['system', 'user'],
      ['system', 'user', 'assistant', 'user'],
    ]);
    expect(model.requests.map(({ messages }) => messages.map(({ role }) => role))).toEqual([
      ['system', 'user'],
      ['user', 'assistant', 'user', 'system'],
    ]);
    expect(JSON.stringify(await played.store.readMessages('t'))).not.toContain('Be kind.');
  });

  test('U-AG6: a chain of models is one call to the policies, with the settings and the name of the first', async () => {
    const down = new ModelError('overloaded', { where: 'a', what: 'busy', fix: 'Wait' });
    const first = scriptedModel([down], { id: 'a' });
    const second = scriptedModel(['done'], { id: 'b' });
    const seen: unknown[] = [];
    const asks = defineHooks({
      name: 'asks',
      preLlmRequest: (request, ctx) => {
        seen.push(ctx.model);
        return RequestDecision.modify({ ...request, settings: { temperature: 0 } });
      },
    });
    const model = fallbackModel([first, second], { id: 'a' });
    const played = await play(mode, { model, hooks: [asks] });
    expectStatus(played.result, 'completed');
    expect(seen).toEqual(['a']);
    expect(second.requests).toEqual(first.requests);
    expect(second.requests[0]?.settings).toEqual({ temperature: 0 });
    expect(ofType(played.heard, 'llm.responded')).toMatchObject([{ model: 'b' }]);
  });

  test('U-AG7: behind a router a policy reads the name of the router; who answered is in the event', async () => {
    const seen: unknown[] = [];
    const model = routerModel({
      id: 'auto',
      models: { small: scriptedModel(['done'], { id: 'small' }) },
      route: () => 'small',
    });
    const asks = defineHooks({
      name: 'asks',
      preLlmRequest: (_request, ctx) => {
        seen.push(ctx.model);
      },
      onLlmResponse: (response) => {
        seen.push(response.model);
      },
    });
    const played = await play(mode, { model, hooks: [asks] });
    expectStatus(played.result, 'completed');
    expect(seen).toEqual(['auto', 'small']);
    expect(ofType(played.heard, 'llm.responded')).toMatchObject([{ model: 'small' }]);
  });
});
