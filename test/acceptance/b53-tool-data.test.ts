import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { defineHooks, scriptedModel, ToolError, tool } from '../../src/index.ts';
import { counted, expectStatus, MODES, play, sleep, stores } from './play.ts';
import { expectSound, placesOf, resultsIn } from './traces.ts';

const call = (inputText: string) => [{ toolCalls: [{ name: 'charge', inputText }] }, 'done'];

describe.each(MODES)('%s', (mode) => {
  test.each(['', '  ', '\n\t', '{}'])(
    'B53: blank arguments %j are an empty object',
    async (text) => {
      const charge = counted('charge');
      const played = await play(mode, { model: scriptedModel(call(text)), tools: [charge.tool] });
      expectStatus(played.result, 'completed');
      expect(charge.inputs).toEqual([{}]);
    },
  );

  test.each([
    'null',
    '5',
    '"x"',
    'true',
    '[]',
    '[{"id":"a"}]',
    '{"id":"a"',
    '{id:1}',
    'undefined',
    '{"id":"a"} {}',
  ])('B53: arguments %j are an error for the model, and nothing runs', async (text) => {
    const charge = counted('charge');
    const model = scriptedModel(call(text), { strict: true });
    const played = await play(mode, { model, tools: [charge.tool] });
    expectStatus(played.result, 'completed');
    expect(charge.inputs).toEqual([]);
    expect(resultsIn(await played.store.readMessages('t'))['1.1.0']).toMatchObject({
      outcome: 'invalid',
      output: { error: expect.stringMatching(/^Invalid arguments: .* Do not claim success\.$/) },
    });
    await expectSound(played);
  });

  test.each([
    '{"id":"a","__proto__":{"isAdmin":true}}',
    '{"id":"a","constructor":{"prototype":{"isAdmin":true}}}',
    '{"id":"a","deep":[{"__proto__":{"isAdmin":true}}]}',
  ])('B54: prototype keys in %s are refused before anybody sees them', async (text) => {
    const seen: unknown[] = [];
    const merges = defineHooks({
      name: 'merges',
      preToolUse({ effectiveInput }) {
        seen.push(Object.assign({}, effectiveInput));
      },
    });
    const charge = counted('charge');
    const scene = { model: scriptedModel(call(text)), tools: [charge.tool], hooks: [merges] };
    const played = await play(mode, scene);
    expectStatus(played.result, 'completed');
    expect([seen, charge.inputs]).toEqual([[], []]);
    expect(Reflect.get({}, 'isAdmin')).toBeUndefined();
    expect(resultsIn(await played.store.readMessages('t'))['1.1.0']?.outcome).toBe('invalid');
  });

  test('B54, without the keys: the same arguments run', async () => {
    const charge = counted('charge');
    const scene = { model: scriptedModel(call('{"id":"a"}')), tools: [charge.tool] };
    expectStatus((await play(mode, scene)).result, 'completed');
    expect(charge.inputs).toEqual([{ id: 'a' }]);
  });
});

describe.each(stores())('%s store', (_name, open) => {
  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  const outputs: readonly (readonly [string, unknown, unknown])[] = [
    ['a cycle', cycle, { self: '[circular]' }],
    ['a bigint', 10n, '10'],
    ['nothing', undefined, null],
    ['not a number', { n: Number.NaN }, { n: 'NaN' }],
    ['half a character', 'a\uD83D', 'a\uFFFD'],
    ['a date', new Date(0), '1970-01-01T00:00:00.000Z'],
    ['a map', new Map([['a', 1]]), { a: 1 }],
    ['bytes', new Uint8Array([1, 2]), { type: 'bytes', base64: 'AQI=' }],
    ['a prototype key', JSON.parse('{"__proto__":{"isAdmin":true},"q":1}'), { q: 1 }],
    [
      'a getter that throws',
      Object.defineProperty({ a: 1 }, 'b', {
        enumerable: true,
        get: () => {
          throw new Error('no');
        },
      }),
      { a: 1, b: '[unreadable]' },
    ],
  ];

  test.each(outputs)(
    'B55: %s as an output is written in a form that can be kept',
    async (_what, output, kept) => {
      const charge = counted('charge', { execute: () => output });
      const model = scriptedModel(call(''), { strict: true });
      const played = await play('run', { store: open(), model, tools: [charge.tool] });
      expectStatus(played.result, 'completed');
      expect(resultsIn(await played.store.readMessages('t'))['1.1.0']).toEqual({
        outcome: 'succeeded',
        output: kept,
      });
      await expectSound(played);
    },
  );
});

describe('B56: a tool with a time limit', () => {
  const unhandled: unknown[] = [];
  const take = (reason: unknown): void => {
    unhandled.push(reason);
  };
  beforeEach(() => {
    unhandled.length = 0;
    process.on('unhandledRejection', take);
  });
  afterEach(() => {
    process.off('unhandledRejection', take);
  });

  test.each([
    ['throws before it', 5, 'charge failed before completing. Do not claim success.'],
    ['throws after it', 60, 'Tool timed out. Do not claim success.'],
  ] as const)('that %s has one error result and no stray rejection', async (_when, ms, error) => {
    const charge = counted('charge', {
      sideEffects: 'none',
      timeoutMs: 30,
      execute: async () => {
        await sleep(ms);
        throw new Error('declined');
      },
    });
    const model = scriptedModel(call(''), { strict: true });
    const played = await play('run', { model, tools: [charge.tool] });
    expectStatus(played.result, 'completed');
    expect(resultsIn(await played.store.readMessages('t'))['1.1.0']).toEqual({
      outcome: 'failed',
      output: { error },
    });
    await sleep(60);
    expect(unhandled).toEqual([]);
    await expectSound(played);
  });

  test('without the limit, it is waited for', async () => {
    const charge = counted('charge', { sideEffects: 'none', execute: () => sleep(50) });
    const played = await play('run', { model: scriptedModel(call('')), tools: [charge.tool] });
    expect(resultsIn(await played.store.readMessages('t'))['1.1.0']?.outcome).toBe('succeeded');
  });
});

describe.each(MODES)('%s', (mode) => {
  const secrets = [
    'token=sk-demo-12345',
    'GET https://api.example.com/v1?key=sesame123 failed',
    'https://user:sesame123@example.com/ refused',
    'Authorization: Bearer sesame123sesame',
    '{"password": "sesame123"}',
  ];

  test.each(secrets)(
    'B63: what looks like a secret in an error is in no trace and reaches no model: %s',
    async (text) => {
      const charge = counted('charge', {
        execute: () => {
          throw new Error(text, { cause: text });
        },
      });
      const model = scriptedModel(call(''));
      const played = await play(mode, { model, tools: [charge.tool] });
      expectStatus(played.result, 'completed');
      for (const secret of ['sk-demo-12345', 'sesame123']) {
        expect(await placesOf(secret, played)).toEqual([]);
        expect(JSON.stringify(model.requests)).not.toContain(secret);
      }
      expect(JSON.stringify(model.requests)).toContain('charge failed before completing');
    },
  );

  test('B63: nor is what a policy or a model throws', async () => {
    const throws = (text: string) => () => {
      throw new Error(text);
    };
    const text = 'token=sk-demo-12345';
    const hooks = [defineHooks({ name: 'guard', onLlmResponse: throws(text) })];
    const byHook = await play(mode, { model: scriptedModel(['hi']), hooks });
    const byModel = await play(mode, { model: scriptedModel([new Error(text)]) });
    expectStatus(byHook.result, 'failed');
    expectStatus(byModel.result, 'failed');
    for (const played of [byHook, byModel]) {
      const places = await placesOf('sk-demo-12345', played);
      // The caller's own result keeps the cause of its error, in this process only.
      expect(places.filter((place) => place !== 'result')).toEqual([]);
    }
  });

  test('B63: only a text that was made for the model is passed on', async () => {
    const told: boolean[] = [];
    for (const error of [new Error('card declined'), new ToolError('card declined')]) {
      const charge = tool({
        name: 'charge',
        description: 'Charges',
        inputSchema: z.object({}),
        tier: 'auto',
        execute: () => {
          throw error;
        },
      });
      const model = scriptedModel(call(''));
      await play(mode, { model, tools: [charge] });
      told.push(JSON.stringify(model.requests).includes('card declined'));
    }
    expect(told).toEqual([false, true]);
  });
});
