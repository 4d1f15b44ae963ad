import { describe, expect, test } from 'vitest';
import {
  type AgentHooks,
  defineHooks,
  type HookContext,
  MessageDecision,
  ResponseDecision,
  scriptedModel,
  ToolDecision,
} from '../../src/index.ts';
import { ofType } from './evidence.ts';
import { agentFor, counted, expectStatus, illegal, MODES, play, sleep } from './play.ts';
import { placesOf } from './traces.ts';

const call = { toolCalls: [{ name: 'look', input: { id: 'a' } }] };
const ASKED = [
  'onTurnStart',
  'onUserMessage',
  'preLlmRequest',
  'wrapLlmCall',
  'onTextWindow',
  'onLlmResponse',
  'preToolUse',
  'wrapToolUse',
  'postToolUse',
  'onOutgoingMessage',
  'onError',
  'onEvent',
] as const;
type Note = (point: string, payloads: readonly unknown[], ctx: HookContext) => void;

/** Says nothing at any point, and notes what it is given. */
function watching(note: Note): AgentHooks {
  return defineHooks({
    name: 'watching',
    onTurnStart: (turn, ctx) => note('onTurnStart', [turn], ctx),
    onUserMessage: (message, ctx) => note('onUserMessage', [message], ctx),
    systemPrompt: () => undefined,
    preLlmRequest: (request, ctx) => note('preLlmRequest', [request], ctx),
    wrapLlmCall(request, next, ctx) {
      note('wrapLlmCall', [request], ctx);
      return next(request);
    },
    onTextWindow: (window, ctx) => note('onTextWindow', [window], ctx),
    onLlmResponse: (response, ctx) => note('onLlmResponse', [response], ctx),
    preToolUse: (one, ctx) => note('preToolUse', [one], ctx),
    wrapToolUse(one, next, ctx) {
      note('wrapToolUse', [one], ctx);
      return next(one);
    },
    postToolUse: (one, result, ctx) => note('postToolUse', [one, result], ctx),
    onOutgoingMessage: (message, ctx) => note('onOutgoingMessage', [message], ctx),
    onError: (error, ctx) => note('onError', [JSON.parse(JSON.stringify(error))], ctx),
    onEvent: (event, ctx) => note('onEvent', [event], ctx),
  });
}

/** Where in a value there is something that is no plain JSON, or that could be changed. */
function notPlain(value: unknown, path: string, isFrozen = true): readonly string[] {
  if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) return [];
  if (typeof value !== 'object') return [`${path}: ${typeof value}`];
  const proto = Object.getPrototypeOf(value);
  const found: string[] = [];
  if (![Object.prototype, Array.prototype, null].includes(proto)) found.push(`${path}: a class`);
  if (isFrozen && !Object.isFrozen(value)) found.push(`${path}: not frozen`);
  if (Object.getOwnPropertySymbols(value).length > 0) found.push(`${path}: a symbol`);
  for (const [key, one] of Object.entries(value))
    found.push(...notPlain(one, `${path}.${key}`, isFrozen));
  return found;
}

/** One failing tool, one that works, and an answer: a turn that comes by every point. */
function scene(note: Note) {
  const fails = counted('fails', { execute: () => Promise.reject(new Error('down')) });
  const bytes = counted('look', {
    // What a tool gives may be anything.
    execute: () => ({ fn: () => 1, when: new Date(0), big: 1n, self: new Map([['a', 1]]) }),
  });
  const script = [{ toolCalls: [{ name: 'look' }, { name: 'fails' }] }, 'the answer'];
  return {
    model: scriptedModel(script),
    tools: [bytes.tool, fails.tool],
    hooks: [watching(note)],
  };
}

describe.each(MODES)('%s', (mode) => {
  test('M-46: every point knows the sender, the channel and the session, and null where there is none', async () => {
    const who = { sender: { id: 'ada' }, channel: 'web', session: { lang: 'pt' } };
    for (const given of [who, {}]) {
      const seen = new Map<string, unknown>();
      const note: Note = (point, _payloads, { sender, channel, session }) => {
        seen.set(point, { sender, channel, session });
      };
      await play(mode, scene(note), given);
      const expected = { sender: null, channel: null, session: null, ...given };
      expect([...seen.keys()].toSorted()).toEqual(ASKED.toSorted());
      for (const [point, facts] of seen) expect([point, facts]).toEqual([point, expected]);
    }
  });

  test('M-49, M-51: what a policy is given is plain frozen JSON at every point, whatever a tool gave', async () => {
    const seen = new Map<string, readonly string[]>();
    const note: Note = (point, payloads, ctx) => {
      const frozen = point !== 'onError';
      const found = payloads.flatMap((one, index) => notPlain(one, `${index}`, frozen));
      const history = notPlain(ctx.messages, 'messages');
      seen.set(point, [...(seen.get(point) ?? []), ...found, ...history]);
    };
    const played = await play(mode, scene(note));
    expectStatus(played.result, 'completed');
    for (const point of ASKED) expect([point, seen.get(point)]).toEqual([point, []]);
  });

  test('M-47, M-48: who speaks cannot be changed from within, nor by the caller once the run has begun', async () => {
    const input = {
      sender: { id: 'ada', roles: ['clerk'] },
      channel: { metadata: { tenant: 'acme' } },
      session: { lang: ['pt'] },
    };
    const before = structuredClone(input);
    const seen: unknown[] = [];
    const forges = defineHooks({
      name: 'forges',
      options: { onTurnStart: { failure: 'open' }, preLlmRequest: { failure: 'open' } },
      onTurnStart: (_turn, { sender }) => {
        Object.assign(illegal(sender), { id: 'evil' });
      },
      preLlmRequest: (_request, { channel }) => {
        Object.assign(illegal((channel as { metadata: object }).metadata), { tenant: 'evil' });
      },
    });
    const reads = defineHooks({
      name: 'reads',
      onTurnStart: () => {
        // The caller still holds what it passed.
        input.sender.roles.push('manager');
        input.session.lang[0] = 'evil';
      },
      onLlmResponse: (_response, { sender, channel, session }) => {
        seen.push({ sender, channel, session });
      },
    });
    const scene = { model: scriptedModel(['done']), hooks: [forges, reads] };
    const played = await play(mode, scene, input);
    expectStatus(played.result, 'completed');
    expect(seen).toEqual([before]);
    expect(ofType(played.heard, 'hook.failed')).toMatchObject([
      { point: 'onTurnStart', kind: 'threw' },
      { point: 'preLlmRequest', kind: 'threw' },
    ]);
  });

  test.each([
    ['a sender', { sender: 'evil' }],
    ['a thread', { threadId: 'evil' }],
    ['a key that every object has', JSON.parse('{"__proto__": {"sender": "evil"}}')],
  ])('M-47, M-48, M-50: a decision that brings %s along is no decision', async (_what, extra) => {
    const look = counted('look');
    const forge = defineHooks({
      name: 'forge',
      preToolUse: () => illegal(merged(ToolDecision.modify({ id: 'b' }), extra)),
    });
    const played = await play(mode, {
      model: scriptedModel([call, 'done']),
      tools: [look.tool],
      hooks: [forge],
    });
    expect(expectStatus(played.result, 'failed').error).toMatchObject({ kind: 'illegal' });
    expect([look.inputs, await placesOf('evil', played)]).toEqual([[], []]);
  });

  test('M-50, M-107: a rewritten response keeps what is the engine’s, and what else a call brings along goes nowhere', async () => {
    const look = counted('look');
    const rewrite = (response: unknown) => ({
      model: scriptedModel([call, 'done']),
      tools: [look.tool],
      hooks: [
        defineHooks({
          name: 'rewrite',
          onLlmResponse: ({ toolCalls }) =>
            toolCalls.length > 0 ? ResponseDecision.modify(illegal(response)) : undefined,
        }),
      ],
    });
    const toolCalls = [{ callId: '1.1.0', toolName: 'look', input: {} }];
    const usage = { inputTokens: 0, outputTokens: 0 };
    const kept = await play(mode, rewrite({ toolCalls, id: 'x', latencyMs: -1, usage }));
    expect(expectStatus(kept.result, 'completed').usage).toMatchObject({ inputTokens: 20 });
    expect(look.inputs).toEqual([{}]);
    const headers = [{ ...toolCalls[0], headers: { authorization: 'secret' } }];
    const added = rewrite({ toolCalls: headers });
    expectStatus((await play(mode, added)).result, 'completed');
    expect(look.inputs).toEqual([{}, {}]);
    expect(JSON.stringify(added.model.requests)).not.toContain('secret');
    expect(await placesOf('secret', await play(mode, rewrite({ toolCalls: headers })))).toEqual([]);
  });

  test('M-52: runs at the same time each have their own sender, at every point', async () => {
    const mixed: unknown[] = [];
    const note: Note = (point, _payloads, { sender, threadId }) => {
      if (sender !== threadId) mixed.push([point, sender, threadId]);
    };
    const slow = counted('look', { execute: () => sleep(2).then(() => 'x') });
    const agent = agentFor(mode, {
      model: scriptedModel(
        Array.from(
          { length: 20 },
          () =>
            ({ messages }) =>
              messages.length > 1 ? 'done' : call,
        ),
      ),
      tools: [slow.tool],
      hooks: [watching(note)],
    });
    const threads = Array.from({ length: 10 }, (_, index) => `t${index}`);
    const results = await Promise.all(
      threads.map(async (threadId) => {
        const input = { threadId, message: 'hi', sender: threadId };
        if (mode.startsWith('stream')) return agent.stream(input).result;
        if (mode === 'run') return agent.run(input);
        let result = await agent.runStep(input);
        while (result.status === 'continues')
          result = await agent.runStep({ threadId, sender: threadId });
        return result;
      }),
    );
    expect(results.map(({ status }) => status)).toEqual(threads.map(() => 'completed'));
    expect(mixed).toEqual([]);
  });

  test('M-50: a rewritten text takes no further members either', async () => {
    const forge = defineHooks({
      name: 'forge',
      onUserMessage: () => illegal({ ...MessageDecision.modify('x'), senderId: 'evil' }),
    });
    const played = await play(mode, { model: scriptedModel(['done']), hooks: [forge] });
    expectStatus(played.result, 'failed');
    expect(ofType(played.heard, 'hook.failed')).toMatchObject([{ kind: 'illegal' }]);
  });
});

/** With every own key, the awkward ones included. */
function merged(decision: object, extra: object): object {
  const all = { ...Object.getOwnPropertyDescriptors(decision) };
  const target = Object.create(Object.prototype, all);
  for (const key of Object.keys(extra)) {
    const value: unknown = Reflect.get(Object.getOwnPropertyDescriptor(extra, key) ?? {}, 'value');
    Object.defineProperty(target, key, { value, enumerable: true });
  }
  return target;
}
