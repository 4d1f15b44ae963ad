import { describe, expect, test } from 'vitest';
import { createAgent, type ScriptEntry, scriptedModel, type ThreadStore } from '../../src/index.ts';
import { ofType } from './evidence.ts';
import { failingStore } from './failing-store.ts';
import { MODES } from './modes.ts';
import { onEveryStore } from './on-every-store.ts';
import { counted, expectStatus } from './play.ts';
import { expectAnswered, expectPairs, resultsIn } from './traces.ts';

const input = { threadId: 't', message: 'go' };
const again = { threadId: 't', message: 'again' };

/** The store, but what it is asked for goes to `over` where that has it. */
function overlaid(store: ThreadStore, over: Partial<ThreadStore>): ThreadStore {
  return new Proxy(store, {
    get: (target, member) => {
      const value: unknown = Reflect.get(over, member) ?? Reflect.get(target, member);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

function build(store: ThreadStore, script: readonly ScriptEntry[]) {
  const [charge, look] = [counted('charge'), counted('look', { sideEffects: 'none' })];
  const model = scriptedModel(script, { strict: true });
  const tools = [charge.tool, look.tool];
  const agent = createAgent({ name: 'a', model, tools, store });
  return { agent, model, charged: charge.inputs };
}

await onEveryStore((open) => {
  describe.each(MODES)('$name', ({ turn }) => {
    test('D05: of several failures of the store the first is the error, whatever fails after it', async () => {
      const inner = open();
      let failures = 0;
      const fail = () => {
        failures += 1;
        throw new Error(`failure ${failures}`);
      };
      let isDown = false;
      const store = overlaid(inner, {
        commit: async (...args) => (isDown ? fail() : inner.commit(...args)),
        release: async (...args) => (isDown ? fail() : inner.release(...args)),
      });
      const goesDown = () => {
        isDown = true;
        return 'never stored';
      };
      const { agent } = build(store, [goesDown]);
      const { error } = expectStatus(await turn(agent, input), 'failed');
      expect(error).toMatchObject({ code: 'store-failed', cause: { message: 'failure 1' } });
      expect(failures).toBeGreaterThan(1);
      expect(JSON.stringify(await inner.readMessages('t'))).not.toContain('never stored');
    });

    test('D06: a store that cannot be read fails each run with its own error, and no turn is begun', async () => {
      const inner = open();
      let isDown = true;
      const store = overlaid(inner, {
        load: async (threadId) => {
          if (isDown) throw new Error('message store unavailable');
          return inner.load(threadId);
        },
      });
      const { agent, model } = build(store, ['one']);
      for (let attempt = 0; attempt < 2; attempt += 1) {
        const failed = await turn(agent, input);
        expect(failed).toMatchObject({ status: 'failed', turnId: '', steps: 0 });
        expect(expectStatus(failed, 'failed').error).toMatchObject({
          code: 'store-failed',
          cause: { message: 'message store unavailable' },
        });
      }
      expect(model.calls).toBe(0);
      expect(await inner.load('t')).toBeUndefined();
      expect(await inner.readEvents('t')).toEqual([]);
      isDown = false;
      expect(await turn(agent, input)).toMatchObject({ status: 'completed', turnId: '1' });
    });

    test('D08: an answer that cannot be stored is an error, and nothing it asked for is done', async () => {
      const inner = open();
      const store = failingStore(inner, (commit) => commit === 2);
      const { agent, charged } = build(store, [{ toolCalls: [{ name: 'charge' }] }, 'done']);
      expect(await turn(agent, input)).toMatchObject({
        status: 'failed',
        error: { code: 'store-failed', cause: { message: 'the disk is full' } },
      });
      expect(charged).toEqual([]);
      expect(await inner.readMessages('t')).toHaveLength(1);
    });

    test('D08 twin: stored, it is done once', async () => {
      const { agent, charged } = build(open(), [{ toolCalls: [{ name: 'charge' }] }, 'done']);
      expectStatus(await turn(agent, input), 'completed');
      expect(charged).toHaveLength(1);
    });

    test.each([2, 3, 4])(
      'D17, D18, D20: a limit that is reached while saves fail (from commit %i on) leaves a turn that a later run closes',
      async (first) => {
        const inner = open();
        const store = failingStore(inner, (commit) => commit >= first);
        const tools = [counted('look', { sideEffects: 'none' }).tool];
        const look = { toolCalls: [{ name: 'look' }] };
        const limited = (tokens: number | undefined) =>
          createAgent({
            name: 'a',
            model: scriptedModel([look, look, 'done'], { strict: true }),
            tools,
            store,
            ...(tokens !== undefined && { limits: { tokens } }),
          });
        const stopped = expectStatus(await turn(limited(55), input), 'failed');
        expect(stopped.error).toMatchObject({ code: 'store-failed' });
        expect(stopped.usage.outputTokens).toBeGreaterThan(0);
        expect(ofType(await inner.readEvents('t'), 'turn.finished')).toEqual([]);

        store.repair();
        expectStatus(await turn(limited(undefined), again), 'completed');
        const ends = ofType(await inner.readEvents('t'), 'turn.finished');
        expect(ends).toMatchObject([
          { turnId: '1', status: 'failed' },
          { turnId: '2', status: 'completed' },
        ]);
        expectPairs(await inner.readEvents('t'));
        expectAnswered(await inner.readMessages('t'));
      },
    );

    test('D17 twin: with a store that works the same run ends at its limit', async () => {
      const tools = [counted('look', { sideEffects: 'none' }).tool];
      const look = { toolCalls: [{ name: 'look' }] };
      const model = scriptedModel([look, look, 'done'], { strict: true });
      const limits = { tokens: 55 };
      const agent = createAgent({ name: 'a', model, tools, store: open(), limits });
      expect(await turn(agent, input)).toMatchObject({ status: 'limited', limit: 'tokens' });
      expect(model.calls).toBe(2);
    });
  });

  const three = { toolCalls: [{ name: 'charge' }, { name: 'look' }, { name: 'charge' }] };

  /** A thread on which a process has ended after so many commits of a turn with three calls. */
  async function leftAfter(commits: number) {
    const inner = open();
    const store = failingStore(inner, (commit) => commit > commits);
    const ended = overlaid(store, {
      recordLate: async () => {
        throw new Error('the process has ended');
      },
    });
    const result = await build(ended, [three, 'done']).agent.run(input);
    return { inner, result };
  }

  test('D12: a thread whose calls all have their results is left as it is', async () => {
    const { inner, result } = await leftAfter(Number.POSITIVE_INFINITY);
    expectStatus(result, 'completed');
    const before = await inner.readMessages('t');
    expectStatus(await build(inner, ['more']).agent.run(again), 'completed');
    const after = await inner.readMessages('t');
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after.slice(before.length).map(({ role }) => role)).toEqual(['user', 'assistant']);
  });

  test.each([
    { which: 'none', commits: 2, runs: 1, outcomes: ['unknown', 'succeeded', 'succeeded'] },
    { which: 'the first', commits: 3, runs: 0, outcomes: ['succeeded', 'succeeded', 'unknown'] },
    { which: 'each', commits: 4, runs: 0, outcomes: ['succeeded', 'succeeded', 'succeeded'] },
  ])(
    'D12: where $which of three calls had its outcome stored, each gets one result before the next message is taken',
    async ({ commits, runs, outcomes }) => {
      const { inner, result } = await leftAfter(commits);
      expectStatus(result, 'failed');
      const next = build(inner, ['more']);
      expectStatus(await next.agent.run(again), 'completed');
      // What has not started runs now, by our rule; what may have is never run again.
      expect(next.charged).toHaveLength(runs);
      const messages = await inner.readMessages('t');
      expectAnswered(messages);
      expect(Object.values(resultsIn(messages)).map(({ outcome }) => outcome)).toEqual(outcomes);
      expectPairs(await inner.readEvents('t'));
      // The repair is stored: one more message finds a whole history and adds nothing to it.
      const before = await inner.readMessages('t');
      expectStatus(await build(inner, ['and more']).agent.run(again), 'completed');
      expect((await inner.readMessages('t')).slice(0, before.length)).toEqual(before);
    },
  );
});
