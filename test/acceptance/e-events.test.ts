import { describe, expect, test } from 'vitest';
import {
  type AgentEvent,
  defineHooks,
  ResponseDecision,
  scriptedModel,
  ToolDecision,
} from '../../src/index.ts';
import { answersTo } from './approve.ts';
import { ofType, types } from './evidence.ts';
import { agentFor, counted, expectStatus, MODES, play, stores } from './play.ts';
import { expectSound } from './traces.ts';

const numbers = (events: readonly AgentEvent[]) => events.map(({ seq }) => seq);
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const UNSTORED = ['llm.delta', 'tool.progress', 'text.retracted', 'llm.retrying'];
const stored = (events: readonly AgentEvent[]) =>
  events.filter(({ type }) => !UNSTORED.includes(type));

/** Much of what can happen in a turn: a rejection, tools that work, fail, tell and are refused, and an empty answer. */
function eventful() {
  const look = counted('look', {
    sideEffects: 'none',
    execute: (ctx) => {
      ctx.progress({ seen: 1 });
      return 'seen';
    },
  });
  const fail = counted('fail', { execute: () => Promise.reject(new Error('declined')) });
  const wipe = counted('wipe');
  const judge = defineHooks({
    name: 'judge',
    onLlmResponse: ({ text }) =>
      text === 'rude' ? ResponseDecision.retryWithFeedback('be polite') : undefined,
    preToolUse: ({ toolName }) => (toolName === 'wipe' ? ToolDecision.block('never') : undefined),
  });
  const calls = ['look', 'fail', 'wipe', 'nothing'].map((name) => ({ name }));
  const model = scriptedModel(['rude', { text: 'let me see', toolCalls: calls }, '', 'done', 'hi']);
  return { model, tools: [look.tool, fail.tool, wipe.tool], hooks: [judge] };
}

describe.each(MODES)('%s', (mode) => {
  test('E01: a simple answer is told as a text and as an end', async () => {
    const played = await play(mode, { model: scriptedModel(['hi there']) });
    expect(ofType(played.streamed, 'message.outgoing')).toMatchObject([
      { text: 'hi there', isFinal: true },
    ]);
    expect(ofType(played.streamed, 'turn.finished')).toMatchObject([{ status: 'completed' }]);
  });

  describe.each(stores())('%s store', (_name, open) => {
    test('E02, E03: of a simple turn no stored number is missing or used twice', async () => {
      const played = await play(mode, { store: open(), model: scriptedModel(['hi there']) });
      const events = await played.store.readEvents('t');
      expect(events.length).toBeGreaterThanOrEqual(3);
      expect(numbers(events)).toEqual(upTo(events.length));
      expect(numbers(stored(played.heard))).toEqual(upTo(events.length));
    });

    test('E06: nor of an eventful one, and what is not stored repeats the number before it', async () => {
      const played = await play(mode, { store: open(), ...eventful() });
      expect(expectStatus(played.result, 'completed').text).toBe('done');
      const events = await played.store.readEvents('t');
      expect(numbers(events)).toEqual(upTo(events.length));
      expect(types(events)).toEqual(
        expect.arrayContaining(['llm.rejected', 'tool.succeeded', 'tool.failed', 'tool.refused']),
      );
      expect(types(played.heard)).toEqual(
        expect.arrayContaining(['tool.progress', 'llm.retrying']),
      );
      expect(numbers(stored(played.heard))).toEqual(upTo(events.length));
      for (const { seq, type } of played.heard) {
        if (!UNSTORED.includes(type)) continue;
        expect(seq).toBeGreaterThan(0);
        expect(seq).toBeLessThan(events.length);
      }
      await expectSound(played);
    });

    test('E05: a second turn, also of another agent, goes on with the numbers; another thread has its own', async () => {
      const store = open();
      const played = await play(mode, { store, model: scriptedModel(['hi', 'hi', 'hi']) });
      const first = (await store.readEvents('t')).length;
      const other = agentFor('run', { store, model: scriptedModel(['hi']) });
      await other.run({ threadId: 't', message: 'again' });
      await played.agent.run({ threadId: 't', message: 'again' });
      await played.agent.run({ threadId: 'u', message: 'hello' });
      const events = await store.readEvents('t');
      expect(events.length).toBeGreaterThan(2 * first);
      expect(numbers(events)).toEqual(upTo(events.length));
      expect(numbers(await store.readEvents('u'))[0]).toBe(1);
    });

    test('E07: every event is one flat object that JSON and the store give back as it was', async () => {
      const charge = counted('charge', { tier: 'confirm' });
      const scene = eventful();
      const call = { toolCalls: [{ name: 'charge' }] };
      const model = scriptedModel([call, 'charged']);
      const store = open();
      const full = { ...scene, store, tools: [...scene.tools, charge.tool] };
      const played = await play(mode, full);
      const paused = await play(mode, { ...full, model }, { message: 'charge it' });
      const answers = answersTo(paused.result, true);
      expectStatus(await paused.agent.resume({ threadId: 't', answers }), 'completed');
      await paused.agent.endThread('t', 'over');
      const heard = [...played.heard, ...paused.heard];
      expect(new Set(types(heard)).size).toBeGreaterThanOrEqual(18);
      expect(await store.readEvents('t')).toEqual(stored(heard));
      for (const event of heard) {
        expect(JSON.parse(JSON.stringify(event))).toEqual(event);
        const { threadId, turnId, step, at, seq, type } = event;
        expect([threadId, typeof turnId, typeof type]).toEqual(['t', 'string', 'string']);
        for (const number of [step, at, seq]) expect(number).toEqual(expect.any(Number));
        expect(Object.keys(event)).not.toContain('id');
      }
    });
  });
});

describe.each(stores())('%s store', (_name, open) => {
  test('E07: a reason and a member of a later version are given back as they are, and the thread goes on', async () => {
    const store = open();
    const agent = agentFor('run', { store, model: scriptedModel(['hi', 'hi']) });
    await agent.run({ threadId: 't', message: 'hello' });
    const before = await store.load('t');
    const count = (await store.readEvents('t')).length;
    const later = {
      ...{ type: 'step.finished', outcome: 'postponed', until: 'full moon' },
      ...{ threadId: 't', turnId: '1', step: 1, at: 1, seq: count + 1 },
    } as unknown as AgentEvent; // No outcome and no member of this version.
    const { token } = await store.claim('t', { holder: 'later', ttlMs: 1_000 });
    await store.commit('t', token, before?.version ?? 0, {
      ...{
        state: before?.state ?? {},
        messages: [],
        ledger: [],
        approvals: [],
        memory: {},
        artifacts: [],
      },
      events: [later],
    });
    await store.release('t', token);
    expectStatus(await agent.run({ threadId: 't', message: 'again' }), 'completed');
    const events = await store.readEvents('t');
    expect(events[count]).toEqual(later);
    expect(numbers(events)).toEqual(upTo(events.length));
  });
});
