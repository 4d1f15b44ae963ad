import { describe, expect, test } from 'vitest';
import { type AgentEvent, defineHooks, scriptedModel, ToolDecision } from '../../src/index.ts';
import { answersTo } from './approve.ts';
import { agentFor, counted, expectStatus, MODES, play, stores } from './play.ts';
import { expectSound, resultsIn } from './traces.ts';

const script = [{ toolCalls: [{ name: 'charge' }] }, 'done', 'and more'];

const throwsAfter = (failure: 'open' | 'closed') =>
  defineHooks({
    name: 'after',
    options: { postToolUse: { failure } },
    postToolUse() {
      throw new Error('the audit is down');
    },
  });

describe.each(MODES)('%s', (mode) => {
  test.each(['open', 'closed'] as const)(
    'B11: an after-hook that throws, %s, never makes the tool run again',
    async (failure) => {
      const charge = counted('charge');
      const model = scriptedModel(script, { strict: true });
      const hooks = [throwsAfter(failure)];
      const played = await play(mode, { model, tools: [charge.tool], hooks });
      expectStatus(played.result, 'completed');
      const next = await played.agent.run({ threadId: 't', message: 'again' });
      expect(expectStatus(next, 'completed').text).toBe('and more');
      expect(charge.inputs).toHaveLength(1);
      const result = resultsIn(await played.store.readMessages('t'))['1.1.0'];
      expect(result?.outcome).toBe('succeeded');
      expect(result?.output === 'charge done').toBe(failure === 'open');
      expect(played.heard).toContainEqual(
        expect.objectContaining({ type: 'hook.failed', policy: 'after', open: failure === 'open' }),
      );
      await expectSound(played);
    },
  );

  test('B12, B86: a listener that throws loses no result and starves no other listener', async () => {
    const charge = counted('charge');
    const heard: AgentEvent[] = [];
    const hooks = [
      defineHooks({
        name: 'watcher',
        onEvent(event) {
          if (event.type === 'tool.succeeded') throw new Error('watcher');
        },
      }),
    ];
    const agent = agentFor(mode, { model: scriptedModel(script), tools: [charge.tool], hooks });
    agent.on('tool.succeeded', () => {
      throw new Error('first');
    });
    agent.on('tool.succeeded', () => Promise.reject(new Error('second')));
    agent.on('*', (event) => heard.push(event));
    const input = { threadId: 't', message: 'hello' };
    const result = await (mode.startsWith('stream')
      ? agent.stream(input).result
      : agent.run(input));
    await agent.settled();
    expect(expectStatus(result, 'completed').messages).toHaveLength(4);
    expect(heard.filter(({ type }) => type === 'tool.succeeded')).toHaveLength(1);
    const failures = heard.filter((event) => event.type === 'error.raised');
    expect(failures).toMatchObject([{ code: 'observer-failed' }, { code: 'observer-failed' }]);
    expect(heard.filter(({ type }) => type === 'hook.failed')).toMatchObject([
      { policy: 'watcher', point: 'onEvent', open: true },
    ]);
  });

  test('B13: a tool that throws has an end for its start', async () => {
    const charge = counted('charge', {
      execute: () => {
        throw new Error('declined');
      },
    });
    const played = await play(mode, { model: scriptedModel(script), tools: [charge.tool] });
    expectStatus(played.result, 'completed');
    const types = played.heard.map(({ type }) => type).filter((type) => type.startsWith('tool.'));
    expect(types).toEqual(['tool.called', 'tool.started', 'tool.failed']);
    await expectSound(played);
  });

  test('B14: bad arguments are answered the same with and without a hook that passes everything', async () => {
    const pass = defineHooks({
      name: 'pass',
      preToolUse: () => undefined,
      postToolUse: () => undefined,
    });
    const bad = [{ toolCalls: [{ name: 'charge', input: { id: 7 } }] }, 'sorry'];
    const answers = [];
    for (const hooks of [[], [pass]]) {
      const charge = counted('charge');
      const played = await play(mode, { model: scriptedModel(bad), tools: [charge.tool], hooks });
      expectStatus(played.result, 'completed');
      expect(charge.inputs).toEqual([]);
      answers.push(resultsIn(await played.store.readMessages('t')));
    }
    expect(answers[0]?.['1.1.0']?.outcome).toBe('invalid');
    expect(answers[1]).toEqual(answers[0]);
  });

  test('B16: a call that two policies refuse has one result', async () => {
    const charge = counted('charge');
    const deny = (name: string) =>
      defineHooks({ name, preToolUse: () => ToolDecision.block(`${name} says no`) });
    const model = scriptedModel(script, { strict: true });
    const hooks = [deny('first'), deny('second')];
    const played = await play(mode, { model, tools: [charge.tool], hooks });
    expectStatus(played.result, 'completed');
    expect(charge.inputs).toEqual([]);
    expect(resultsIn(await played.store.readMessages('t'))).toEqual({
      '1.1.0': { outcome: 'blocked', output: 'Blocked: first says no' },
    });
    await expectSound(played);
  });

  test('B22: one call that fails loses no other result, in the order of the calls', async () => {
    for (const sideEffects of ['none', 'once'] as const) {
      const good = counted('good', { sideEffects });
      const bad = counted('bad', {
        sideEffects,
        execute: () => Promise.reject(new Error('declined')),
      });
      const calls = ['bad', 'good', 'bad', 'good'].map((name) => ({ name }));
      const model = scriptedModel([{ toolCalls: calls }, 'done'], { strict: true });
      const played = await play(mode, { model, tools: [good.tool, bad.tool] });
      expectStatus(played.result, 'completed');
      const results = resultsIn(await played.store.readMessages('t'));
      expect(Object.entries(results).map(([id, { outcome }]) => `${id} ${outcome}`)).toEqual([
        '1.1.0 failed',
        '1.1.1 succeeded',
        '1.1.2 failed',
        '1.1.3 succeeded',
      ]);
      await expectSound(played);
    }
  });
});

describe.each(stores())('%s store', (_name, open) => {
  test('B15: no other policy can run a call that a person refused', async () => {
    const charge = counted('charge', { tier: 'confirm' });
    const grants = defineHooks({
      name: 'grants',
      preToolUse: ({ approval }) => (approval === undefined ? undefined : ToolDecision.allow()),
    });
    const rewrites = defineHooks({
      name: 'rewrites',
      preToolUse: ({ approval }) =>
        approval === undefined ? undefined : ToolDecision.modify({ id: 'z' }),
    });
    const scene = { store: open(), model: scriptedModel(script), tools: [charge.tool] };
    const paused = await play('run', { ...scene, hooks: [grants, rewrites] });
    const answers = answersTo(paused.result, false);
    expectStatus(await paused.agent.resume({ threadId: 't', answers }), 'completed');
    expect(charge.inputs).toEqual([]);
    expect(resultsIn(await scene.store.readMessages('t'))['1.1.0']?.outcome).toBe('denied');
    await expectSound(paused);
  });

  test('B15, not refused: the same policies run it', async () => {
    const charge = counted('charge', { tier: 'confirm' });
    const grants = defineHooks({ name: 'grants', preToolUse: () => ToolDecision.allow() });
    const scene = { store: open(), model: scriptedModel(script), tools: [charge.tool] };
    const played = await play('run', { ...scene, hooks: [grants] });
    expectStatus(played.result, 'completed');
    expect(charge.inputs).toHaveLength(1);
  });
});
