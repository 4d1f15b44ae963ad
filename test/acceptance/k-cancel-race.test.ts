import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { type AgentHooks, defineHooks, memoryStore, scriptedModel, tool } from '../../src/index.ts';
import { types } from './evidence.ts';
import { agentFor, counted, expectStatus, MODES, type Mode, type Played, play } from './play.ts';
import { rawModel } from './raw-model.ts';
import { expectSound } from './traces.ts';

const script = [
  { text: 'let me see', toolCalls: [{ name: 'look' }, { name: 'charge' }] },
  { text: 'and again', toolCalls: [{ name: 'look' }] },
  'done',
  'and more',
];

/** The points, and how many model calls a turn has made when each is first asked. */
const POINTS = [
  ['onTurnStart', 0],
  ['onUserMessage', 0],
  ['preLlmRequest', 0],
  ['onLlmResponse', 1],
  ['preToolUse', 1],
  ['postToolUse', 1],
  ['onOutgoingMessage', 1],
] as const;

/** Two tools, a policy at every deciding point that takes a moment, and a model that does. */
function scene(store = memoryStore()) {
  const look = counted('look', { sideEffects: 'none', execute: () => Promise.resolve('seen') });
  const charge = counted('charge', { execute: () => Promise.resolve('charged') });
  const later = () => Promise.resolve(undefined);
  const looksOn = defineHooks({
    name: 'looks-on',
    onTurnStart: later,
    onUserMessage: later,
    preLlmRequest: later,
    onLlmResponse: later,
    preToolUse: later,
    postToolUse: later,
    onOutgoingMessage: later,
  });
  const model = scriptedModel(script, { strict: true });
  return { store, model, tools: [look.tool, charge.tool], hooks: [looksOn], cancelGraceMs: 50 };
}

/** Plays a turn that is aborted when its event of this number is heard. */
async function abortedAt(mode: Mode, index: number): Promise<Played & { calls: number }> {
  const abort = new AbortController();
  let heard = 0;
  const stops = defineHooks({
    name: 'stops',
    onEvent() {
      heard += 1;
      if (heard === index) abort.abort();
    },
  });
  const { hooks, ...rest } = scene();
  const played = await play(mode, { ...rest, hooks: [...hooks, stops] }, { signal: abort.signal });
  return { ...played, calls: rest.model.calls };
}

describe.each(MODES)('%s', (mode) => {
  test('K09: a run that is cancelled before it begins never calls the model or a tool', async () => {
    const signal = AbortSignal.abort();
    const made = scene();
    for (let i = 0; i < 5; i += 1) {
      const played = await play(mode, made, { signal });
      expectStatus(played.result, 'cancelled');
      expect(await made.store.readMessages('t')).toEqual([]);
      expect(played.heard.filter(({ type }) => type === 'turn.finished')).toMatchObject([
        { status: 'cancelled' },
      ]);
      await expectSound(played);
    }
    expect(made.model.calls).toBe(0);
    expectStatus(await agentFor('run', made).run({ threadId: 't', message: 'go' }), 'completed');
  });

  test.each(POINTS)(
    'K09: a cancel while %s is asked wins over its answer, and what was paid counts',
    async (point, modelCalls) => {
      const abort = new AbortController();
      const asked: string[] = [];
      const notes = (name: string) => () => {
        if (abort.signal.aborted) asked.push(name);
      };
      const stops = { name: 'stops', [point]: () => abort.abort() } as AgentHooks;
      const later = Object.fromEntries(POINTS.map(([name]) => [name, notes(name)]));
      const made = scene();
      const hooks = [...made.hooks, stops, { name: 'later', ...later } as AgentHooks];
      const played = await play(mode, { ...made, hooks }, { signal: abort.signal });
      const { usage } = expectStatus(played.result, 'cancelled');
      expect([made.model.calls, usage.outputTokens]).toEqual([modelCalls, 20 * modelCalls]);
      // What a tool has done is looked at whatever happens; nothing else is asked for a turn that is over.
      expect(asked.filter((name) => name !== 'postToolUse')).toEqual([]);
      expect(played.heard.filter(({ type }) => type === 'turn.finished')).toMatchObject([
        { status: 'cancelled' },
      ]);
      await expectSound(played);
    },
  );

  test('K09: an answer that comes with the cancel is dropped, and still paid for', async () => {
    const abort = new AbortController();
    const file = {
      type: 'file',
      mediaType: 'image/png',
      // Read when the answer is, just before anything is made of it.
      get data() {
        abort.abort();
        return 'AAAA';
      },
    };
    const finish = { finishReason: 'stop', usage: { inputTokens: 3, outputTokens: 5 } };
    const parts = [file, { type: 'finish', result: finish }];
    const model = rawModel({ content: [file], ...finish }, parts);
    const played = await play(mode, { model }, { signal: abort.signal });
    const { usage } = expectStatus(played.result, 'cancelled');
    expect(usage).toEqual({ inputTokens: 3, outputTokens: 5 });
    expect(JSON.stringify(await played.store.readMessages('t'))).not.toContain('image/png');
    await expectSound(played);
  });

  test('K09: a cancel while arguments are checked leaves no call', async () => {
    const abort = new AbortController();
    const stops = () => {
      abort.abort();
      return true;
    };
    const look = tool({
      name: 'look',
      description: 'Looks',
      inputSchema: z.object({}).refine(stops),
      tier: 'auto',
      execute: () => 'seen',
    });
    const model = scriptedModel([{ toolCalls: [{ name: 'look' }] }, 'done']);
    const played = await play(mode, { model, tools: [look] }, { signal: abort.signal });
    expectStatus(played.result, 'cancelled');
    const stored = await played.store.readMessages('t');
    expect(stored.map(({ role }) => role)).toEqual(['user']);
    await expectSound(played);
  });

  test('K09: whatever a cancel races with, the turn ends once and the thread goes on', async () => {
    const whole = await abortedAt(mode, 0);
    expectStatus(whole.result, 'completed');
    const lastStart = types(whole.heard).lastIndexOf('step.started') + 1;
    const statuses = new Set<string>();
    for (let index = 1; index <= whole.heard.length; index += 1) {
      const played = await abortedAt(mode, index);
      const { status } = played.result;
      statuses.add(status);
      // What is heard of the last step after its start, but for live pieces, is heard with the end it is stored with.
      if (index <= lastStart) expect([index, status]).toEqual([index, 'cancelled']);
      expect(played.heard.filter(({ type }) => type === 'turn.finished')).toMatchObject([
        { status },
      ]);
      expect(played.streamed.at(-1)?.type).toBe('turn.finished');
      await expectSound(played);
      const model = scriptedModel(['fine'], { strict: true });
      const next = agentFor('run', { ...scene(), model, store: played.store });
      expectStatus(await next.run({ threadId: 't', message: 'again' }), 'completed');
      await expectSound(played);
    }
    expect([...statuses].toSorted()).toEqual(['cancelled', 'completed']);
  });

  test('K09: a cancel at any moment in time is no different', async () => {
    const statuses = new Set<string>();
    // A turn takes 90 to 130 turns of the queue, more as it gets slower.
    for (let ticks = 0; ticks < 180; ticks += 3) {
      const abort = new AbortController();
      const made = scene();
      void after(ticks).then(() => abort.abort());
      const played = await play(mode, made, { signal: abort.signal });
      const { status } = played.result;
      statuses.add(status);
      expect(played.heard.filter(({ type }) => type === 'turn.finished')).toMatchObject([
        { status },
      ]);
      await expectSound(played);
    }
    expect([...statuses].toSorted()).toEqual(['cancelled', 'completed']);
  });
});

/** This many turns of the queue of promises from now. */
async function after(ticks: number): Promise<void> {
  for (let i = 0; i < ticks; i += 1) await undefined;
}
