import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type AgentHooks,
  defineHooks,
  HOOK_POINTS,
  HookError,
  type HookFailureKind,
  type HookOptions,
  type HookPoint,
  POINTS,
  scriptedModel,
} from '../../src/index.ts';
import { counted, expectStatus, illegal, MODES, play, sleep } from './play.ts';
import { expectSound, placesOf } from './traces.ts';

type Guarded =
  | 'onTurnStart'
  | 'onUserMessage'
  | 'preLlmRequest'
  | 'onLlmResponse'
  | 'preToolUse'
  | 'postToolUse'
  | 'onOutgoingMessage';

/** Every way a guard can fail to decide. */
const FAILURES: readonly (readonly [string, HookFailureKind, () => unknown])[] = [
  [
    'throws',
    'threw',
    () => {
      throw new Error('the guard broke');
    },
  ],
  ['rejects', 'threw', () => Promise.reject(new Error('the guard broke'))],
  ['throws no error', 'threw', () => Promise.reject(illegal('broke'))],
  ['sleeps past its limit', 'timed-out', () => sleep(120)],
  ['never answers', 'timed-out', () => new Promise(() => undefined)],
  [
    'rejects after its limit',
    'timed-out',
    async () => {
      await sleep(60);
      throw new Error('too late');
    },
  ],
  ['answers something illegal', 'illegal', () => illegal({ type: 'fine' })],
  ['answers a later illegal value', 'illegal', async () => illegal('yes')],
];

function guardAt(point: Guarded, fail: () => unknown, options: HookOptions = {}): AgentHooks {
  return defineHooks({
    name: 'guard',
    options: { [point]: { timeoutMs: 20, ...options } },
    [point]: () => fail(),
  });
}

const WORD = 'xyzzy';
const scene = () => {
  const charge = counted('charge', { execute: () => `${WORD} of the tool` });
  const model = scriptedModel([
    { toolCalls: [{ name: 'charge' }] },
    { text: `${WORD} of the model` },
  ]);
  return { charge, model };
};

/** Rejections that nobody took: a late answer must not be one. */
const unhandled: unknown[] = [];
const onUnhandled = (reason: unknown): void => {
  unhandled.push(reason);
};

beforeEach(() => {
  unhandled.length = 0;
  process.on('unhandledRejection', onUnhandled);
});

afterEach(async () => {
  await sleep(0);
  process.off('unhandledRejection', onUnhandled);
  expect(unhandled).toEqual([]);
});

const CLOSED: readonly Guarded[] = [
  'onTurnStart',
  'onUserMessage',
  'preLlmRequest',
  'preToolUse',
  'onLlmResponse',
];

describe.each(MODES)('%s', (mode) => {
  describe.each(CLOSED)('%s', (point) => {
    test.each(FAILURES)('B07: a guard that %s counts as closed', async (_how, kind, fail) => {
      const { charge, model } = scene();
      const hooks = [guardAt(point, fail)];
      const played = await play(mode, { model, tools: [charge.tool], hooks });
      const { error, text } = expectStatus(played.result, 'failed');
      expect(error).toBeInstanceOf(HookError);
      expect(error).toMatchObject({ code: 'hook-failed', policy: 'guard', point, kind });
      expect(text).toBe('Sorry, something went wrong. Please try again.');
      expect(charge.inputs).toEqual([]);
      const asked = CLOSED.indexOf(point) >= CLOSED.indexOf('preToolUse') ? 1 : 0;
      expect(model.calls).toBe(asked);
      expect(failuresOf(played)).toMatchObject([{ policy: 'guard', point, kind, open: false }]);
      await expectSound(played);
    });
  });

  test.each(FAILURES)(
    'B07: at postToolUse, open by default, one that %s leaves the result as it is',
    async (_how, kind, fail) => {
      const { charge, model } = scene();
      const hooks = [guardAt('postToolUse', fail)];
      const played = await play(mode, { model, tools: [charge.tool], hooks });
      expectStatus(played.result, 'completed');
      expect(JSON.stringify(model.requests[1])).toContain(`${WORD} of the tool`);
      expect(failuresOf(played)).toMatchObject([{ point: 'postToolUse', kind, open: true }]);
    },
  );

  test.each(FAILURES)(
    'B07: at postToolUse, set closed, one that %s withholds the result',
    async (_how, kind, fail) => {
      const { charge, model } = scene();
      const hooks = [guardAt('postToolUse', fail, { failure: 'closed' })];
      const played = await play(mode, { model, tools: [charge.tool], hooks });
      expectStatus(played.result, 'completed');
      expect(charge.inputs).toHaveLength(1);
      expect(JSON.stringify(model.requests[1])).not.toContain(WORD);
      expect(await placesOf(`${WORD} of the tool`, played)).toEqual([]);
      expect(JSON.stringify(model.requests[1])).toContain('The result was withheld');
      expect(failuresOf(played)).toMatchObject([{ point: 'postToolUse', kind, open: false }]);
      await expectSound(played);
    },
  );

  test.each(FAILURES)(
    'B07: at onOutgoingMessage, set closed, one that %s shows a fallback',
    async (_how, kind, fail) => {
      const { charge, model } = scene();
      const hooks = [guardAt('onOutgoingMessage', fail, { failure: 'closed' })];
      const played = await play(mode, { model, tools: [charge.tool], hooks });
      const { error, text } = expectStatus(played.result, 'failed');
      expect(error).toMatchObject({ code: 'hook-failed', point: 'onOutgoingMessage', kind });
      expect(text).toBe('Sorry, I cannot show you that answer.');
      const live = mode === 'stream live' ? ['heard', 'streamed'] : [];
      expect(await placesOf(`${WORD} of the model`, played)).toEqual(live);
      await expectSound(played);
    },
  );

  test('B07, without the guard: the message is answered and the tool runs', async () => {
    const { charge, model } = scene();
    const played = await play(mode, { model, tools: [charge.tool] });
    expect(expectStatus(played.result, 'completed').text).toBe(`${WORD} of the model`);
    expect({ ran: charge.inputs.length, calls: model.calls }).toEqual({ ran: 1, calls: 2 });
    expect(failuresOf(played)).toEqual([]);
  });
});

describe.each(CLOSED)('%s', (point) => {
  test.each(FAILURES)(
    'B07: set open by hand, one that %s lets through and says so',
    async (_how, kind, fail) => {
      const { charge, model } = scene();
      const hooks = [guardAt(point, fail, { failure: 'open' })];
      const played = await play('run', { model, tools: [charge.tool], hooks });
      expect(expectStatus(played.result, 'completed').text).toBe(`${WORD} of the model`);
      expect(charge.inputs).toHaveLength(1);
      for (const event of failuresOf(played)) {
        expect(event).toMatchObject({ policy: 'guard', point, kind, open: true });
      }
      expect(failuresOf(played).length).toBeGreaterThan(0);
      await expectSound(played);
    },
  );
});

function failuresOf(played: { readonly heard: readonly { readonly type: string }[] }) {
  return played.heard.filter((event) => event.type === 'hook.failed' && !('late' in event));
}

test('B07: every point that decides and is asked is in this file, or in the matrix of faults', () => {
  const here: readonly HookPoint[] = [
    ...CLOSED,
    'postToolUse',
    'onOutgoingMessage',
    // What these guard is an error, a piece of text and a search: test/faults has them, with every fault and in every mode.
    'onError',
    'onTextWindow',
    'onKnowledgeQuery',
    'onKnowledgeResults',
  ];
  const decide = HOOK_POINTS.filter((point) => POINTS[point].enforced && POINTS[point].codec);
  expect(here.toSorted()).toEqual(decide.toSorted());
});
