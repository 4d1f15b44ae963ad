import { describe, expect, test } from 'vitest';
import {
  defineHooks,
  MessageDecision,
  memoryStore,
  ResponseDecision,
  scriptedModel,
  ToolDecision,
  TurnDecision,
} from '../../src/index.ts';
import { ofType, types } from './evidence.ts';
import { agentFor, counted, expectStatus, MODES, play, type Scene, stores } from './play.ts';
import { expectSound } from './traces.ts';

const call = { toolCalls: [{ name: 'look' }] };
const raise = (): never => {
  throw new Error('boom');
};

const retries = defineHooks({
  name: 'retries',
  onLlmResponse: () => ResponseDecision.retryWithFeedback('better'),
});
const bads = (): string[] => Array.from({ length: 9 }, () => 'bad');

const ENDINGS: readonly (readonly [string, string, () => Scene])[] = [
  ['an answer', 'completed', () => ({ model: scriptedModel(['done']) })],
  [
    'a turn that may not begin',
    'blocked',
    () => ({
      model: scriptedModel([]),
      hooks: [defineHooks({ name: 'p', onTurnStart: () => TurnDecision.block('closed') })],
    }),
  ],
  [
    'a refused message',
    'blocked',
    () => ({
      model: scriptedModel([]),
      hooks: [defineHooks({ name: 'p', onUserMessage: () => MessageDecision.block('spam') })],
    }),
  ],
  [
    'a refused answer',
    'blocked',
    () => ({
      model: scriptedModel(['bad']),
      hooks: [defineHooks({ name: 'p', onLlmResponse: () => ResponseDecision.block('no') })],
    }),
  ],
  [
    'a failed policy',
    'failed',
    () => ({ model: scriptedModel([]), hooks: [defineHooks({ name: 'p', preLlmRequest: raise })] }),
  ],
  ['the retry cap', 'failed', () => ({ model: scriptedModel(bads()), hooks: [retries] })],
  ['a model that fails', 'failed', () => ({ model: scriptedModel([new Error('down')]) })],
  [
    'a limit',
    'limited',
    () => ({ model: scriptedModel([call]), tools: [counted('look').tool], limits: { steps: 1 } }),
  ],
];

describe.each(MODES)('%s', (mode) => {
  test('M-53, M-58: a turn of three steps and two tools has one start and one finish, with one id', async () => {
    const look = counted('look');
    const script = [call, call, 'done', 'again'];
    const store = memoryStore();
    const scene = { store, model: scriptedModel(script), tools: [look.tool] };
    const first = await play(mode, scene);
    const second = await play(mode, scene);
    const started = ofType([...first.heard, ...second.heard], 'turn.started');
    const finished = ofType([...first.heard, ...second.heard], 'turn.finished');
    expect(started).toMatchObject([
      { turnId: '1', threadId: 't', isFirst: true },
      { turnId: '2', threadId: 't', isFirst: false },
    ]);
    expect(finished).toMatchObject([
      { turnId: '1', status: 'completed', steps: 3 },
      { turnId: '2', status: 'completed', steps: 1 },
    ]);
    expect(look.inputs).toHaveLength(2);
    await expectSound(second);
  });

  test.each(ENDINGS)(
    'M-54, M-56, M-59: %s is told once, as the result says it',
    async (_what, status, scene) => {
      const played = await play(mode, scene());
      expect(played.result.status).toBe(status);
      expect(ofType(played.heard, 'turn.finished')).toMatchObject([{ status }]);
      expect(ofType(await played.store.readEvents('t'), 'turn.finished')).toMatchObject([
        { status },
      ]);
    },
  );

  test('M-59: a turn that waits for a person is not finished, and is when the person has answered', async () => {
    const look = counted('look', { tier: 'confirm' });
    const scene = { model: scriptedModel([call, 'done']), tools: [look.tool] };
    const played = await play(mode, scene);
    const waiting = expectStatus(played.result, 'awaiting-approval');
    expect(types(played.heard)).not.toContain('turn.finished');
    const answers = waiting.approvals.map(({ approvalId }) => ({
      approvalId,
      approved: true,
      by: 'ann',
    }));
    expectStatus(await played.agent.resume({ threadId: 't', answers }), 'completed');
    expect(ofType(played.heard, 'turn.started')).toHaveLength(1);
    expect(ofType(played.heard, 'turn.finished')).toMatchObject([{ status: 'completed' }]);
  });

  test('U-X10, U-Z6: on the first turn of a thread a policy that throws ends it before anything is stored or shown', async () => {
    const opens = defineHooks({
      name: 'opens',
      onTurnStart: ({ isFirst }) => (isFirst ? raise() : undefined),
    });
    const model = scriptedModel(['welcome']);
    const played = await play(mode, { model, hooks: [opens] });
    expectStatus(played.result, 'failed');
    expect([model.calls, await played.store.readMessages('t')]).toEqual([0, []]);
    expect(ofType(played.heard, 'message.outgoing')).toMatchObject([{ fallback: 'hook-failure' }]);
    const last = types(played.heard).filter((type) => type !== 'step.finished');
    expect(last.indexOf('message.outgoing')).toBeLessThan(last.indexOf('turn.finished'));
  });

  test('U-X10 twin: one that has nothing against it lets the turn begin', async () => {
    const opens = defineHooks({ name: 'opens', onTurnStart: () => TurnDecision.proceed() });
    const played = await play(mode, { model: scriptedModel(['welcome']), hooks: [opens] });
    expect(expectStatus(played.result, 'completed').text).toBe('welcome');
  });
});

describe.each(stores())('%s store', (_name, open) => {
  test('M-60: steps that a host drives, each by an agent of its own, have one start and one finish', async () => {
    const store = open();
    const look = counted('look');
    const step = async (message?: string) =>
      agentFor('runStep', {
        store,
        model: scriptedModel([message === 'x' ? 'done' : call]),
        tools: [look.tool],
      });
    const statuses: string[] = [];
    const first = await (await step()).runStep({ threadId: 't', message: 'go' });
    const second = await (await step()).runStep({ threadId: 't' });
    const third = await (await step('x')).runStep({ threadId: 't' });
    statuses.push(first.status, second.status, third.status);
    expect(statuses).toEqual(['continues', 'continues', 'completed']);
    const events = await store.readEvents('t');
    expect(ofType(events, 'turn.started')).toMatchObject([{ turnId: '1', step: 0 }]);
    expect(ofType(events, 'turn.finished')).toMatchObject([{ turnId: '1', steps: 3 }]);
    expect(types(events)[0]).toBe('turn.started');
    expect(types(events).at(-1)).toBe('turn.finished');
  });

  test('M-113, M-59: a denied call never runs, and its turn completes', async () => {
    const look = counted('look');
    const gate = defineHooks({
      name: 'gate',
      preToolUse: () => ToolDecision.requiresConfirmation('Look?'),
    });
    const played = await play('run', {
      store: open(),
      model: scriptedModel([call, 'done']),
      tools: [look.tool],
      hooks: [gate],
    });
    const { approvals } = expectStatus(played.result, 'awaiting-approval');
    const answers = approvals.map(({ approvalId }) => ({ approvalId, approved: false, by: 'ann' }));
    const result = await played.agent.resume({ threadId: 't', answers });
    expectStatus(result, 'completed');
    expect(look.inputs).toEqual([]);
    expect(JSON.stringify(result.messages)).toContain('"outcome":"denied"');
  });
});
