import {
  defineHooks,
  ModelError,
  memoryStore,
  type ScriptEntry,
  type ThreadStore,
} from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { MODES } from '../acceptance/modes.ts';
import { dyingStore } from '../loop/desk.ts';
import { answer, LONG, read, scene, typesOf } from './scene.ts';

const NONE = { inputTokens: 0, outputTokens: 0 };
const lookAt = (at: string): ScriptEntry => ({
  toolCalls: [{ name: 'look', input: { at } }],
  usage: NONE,
});
const script = [answer('short answer')];

/** A thread whose context is full, in a store whose clock the test sets. */
async function fullThread() {
  const clock = { now: 1_000 };
  const disk = memoryStore({ now: () => clock.now });
  await scene({ script, store: disk }).agent.run({ threadId: 't', message: LONG });
  return { disk, clock };
}

async function turnsIn(disk: ThreadStore): Promise<readonly string[]> {
  const events = await disk.readEvents('t');
  return events.map(({ type }) => type).filter((type) => type.startsWith('turn.'));
}

const PAIR = ['turn.started', 'turn.finished'];

describe('L2: a process may end between any two commits of a compaction', () => {
  // The commits of the turn: that the call for a summary may start; the message, with the summary; the answer.
  for (const commits of [0, 1, 2]) {
    test(`L2: after ${commits} commits, the next message goes on with a thread that is whole`, async () => {
      const { disk, clock } = await fullThread();
      const first = scene({
        script: [answer('lost')],
        summaries: ['the gist'],
        store: dyingStore(disk, commits),
      });
      await first.agent.run({ threadId: 't', message: 'next' }).catch((error: unknown) => error);
      expect([first.writer.calls, first.model.calls]).toEqual([
        commits === 0 ? 0 : 1,
        commits === 2 ? 1 : 0,
      ]);
      clock.now += 60_000;
      const second = scene({ script: [answer('there')], summaries: ['the gist'], store: disk });
      const result = await second.agent.run({ threadId: 't', message: 'next' });
      expect(result).toMatchObject({ status: 'completed', text: 'there' });
      // What was stored is not paid for twice.
      expect(second.writer.calls).toBe(commits === 2 ? 0 : 1);
      expect(read(second.model, 0)[0]).toBe('summary: the gist');
      expect(await turnsIn(disk)).toEqual(
        [PAIR, ...(commits === 0 ? [PAIR] : [PAIR, PAIR])].flat(),
      );
    });
  }

  test('L8: the store knows of the call before it starts, and holds no message that no request passed with', async () => {
    const { disk } = await fullThread();
    const seen: unknown[] = [];
    const { agent } = scene({
      script: [answer('there')],
      summaries: [
        async () => {
          const { state } = (await disk.load('t')) ?? { state: {} };
          seen.push(state, await disk.readMessages('t'));
          return 'the gist';
        },
      ],
      store: disk,
    });
    await agent.run({ threadId: 't', message: 'MY-SECRET' });
    expect(seen[0]).toMatchObject({ phase: { name: 'compacting', attempt: 1, isLost: true } });
    expect(seen[1]).toHaveLength(2);
    expect(JSON.stringify(seen)).not.toContain('MY-SECRET');
  });

  test('L2: resuming a turn whose message was lost ends it, and says so', async () => {
    const { disk, clock } = await fullThread();
    const first = scene({ script: [], summaries: ['the gist'], store: dyingStore(disk, 1) });
    await first.agent.run({ threadId: 't', message: 'next' }).catch((error: unknown) => error);
    clock.now += 60_000;
    const second = scene({ script: [], store: disk });
    const result = await second.agent.resume({ threadId: 't' });
    expect(result).toMatchObject({
      status: 'failed',
      error: {
        code: 'turn-interrupted',
        message: expect.stringContaining('Send the message again'),
      },
    });
    expect(second.writer.calls).toBe(0);
    expect(await turnsIn(disk)).toEqual([...PAIR, ...PAIR]);
  });

  test('L2: cancelling a stored one ends it with nothing replaced', async () => {
    const { disk, clock } = await fullThread();
    const first = scene({ script: [], summaries: ['the gist'], store: dyingStore(disk, 1) });
    await first.agent.run({ threadId: 't', message: 'next' }).catch((error: unknown) => error);
    clock.now += 60_000;
    const result = await scene({ script: [], store: disk }).agent.cancel('t');
    expect(result.status).toBe('cancelled');
    expect((await disk.load('t'))?.state).not.toHaveProperty('summary');
  });
});

describe('a compaction within a turn', () => {
  const within: ScriptEntry[] = [lookAt('a'.repeat(120)), lookAt('b'.repeat(120)), answer('done')];

  /** Begins a turn whose third step is full, and ends the process after so many commits. */
  async function crashed(commits: number) {
    const clock = { now: 1_000 };
    const disk = memoryStore({ now: () => clock.now });
    const first = scene({ script: within, summaries: ['gist'], store: dyingStore(disk, commits) });
    await first.agent
      .run({ threadId: 't', message: 'm'.repeat(10) })
      .catch((error: unknown) => error);
    clock.now += 60_000;
    return { disk, clock, first };
  }

  test('L2: after any commit the turn goes on in another process, and its result holds all of it', async () => {
    // Message, batch, results, batch, results, call for a summary, main call with the summary.
    for (const commits of [1, 2, 3, 4, 5, 6, 7]) {
      const { disk } = await crashed(commits);
      const answered = commits <= 1 ? 0 : commits <= 3 ? 1 : 2;
      const rest = within.slice(answered);
      const second = scene({ script: rest, summaries: ['gist', 'gist'], store: disk });
      const result = await second.agent.resume({ threadId: 't' });
      expect(result, `after ${commits}`).toMatchObject({ status: 'completed', text: 'done' });
      expect(result.messages).toHaveLength(6);
      expect(result.messages[0]).toMatchObject({ role: 'user' });
      expect(await turnsIn(disk)).toEqual(PAIR);
      const stored = (await disk.load('t'))?.state['summary'];
      expect(stored).toMatchObject({ text: expect.stringMatching(/^gist\n\n/) });
    }
  });

  test('the main call is the first attempt of its step, whatever was called before it', async () => {
    const { agent, heard } = scene({ script: within, summaries: ['gist'] });
    await agent.run({ threadId: 't', message: 'm'.repeat(10) });
    const calls = heard.flatMap((event) =>
      event.type === 'llm.requested' ? [`${event.step} ${event.purpose} ${event.attempt}`] : [],
    );
    expect(calls).toEqual(['1 main 1', '2 main 1', '3 compaction 1', '3 main 1']);
  });

  test('three crashes during the call for a summary count as one that failed', async () => {
    const { disk, clock } = await crashed(6);
    for (const attempt of [2, 3]) {
      const stored = await disk.load('t');
      expect(stored?.state['phase']).toMatchObject({ name: 'compacting', attempt: attempt - 1 });
      const next = scene({ script: [], summaries: ['gist'], store: dyingStore(disk, 1) });
      await next.agent.resume({ threadId: 't' }).catch((error: unknown) => error);
      expect(next.writer.calls).toBe(1);
      clock.now += 60_000;
    }
    const last = scene({ script: within.slice(2), store: disk });
    const result = await last.agent.resume({ threadId: 't' });
    expect(result).toMatchObject({ status: 'completed', text: 'done' });
    expect(last.writer.calls).toBe(0);
    expect(last.heard.find(({ type }) => type === 'error.raised')).toMatchObject({
      details: { problem: 'attempts-exhausted' },
    });
    expect(last.model.requests[0]?.messages).toHaveLength(5);
  });

  test('an agent that has lost the option goes on without a summary', async () => {
    const { disk } = await crashed(6);
    const next = scene({ script: within.slice(2), store: disk, compaction: false });
    expect(await next.agent.resume({ threadId: 't' })).toMatchObject({ status: 'completed' });
  });
});

describe('an overflow that a process did not survive', () => {
  const overflow: ScriptEntry = new ModelError('context-overflow', {
    where: 'm',
    what: 'too long',
    fix: 'shorten',
  });
  const wide = { maxTokens: 10_000, keepTokens: 5_000 };

  test('L2: is known to the next one, which compacts before it calls', async () => {
    const { disk, clock } = await fullThread();
    const first = scene({ script: [overflow], store: dyingStore(disk, 2), compaction: wide });
    await first.agent.run({ threadId: 't', message: 'next' }).catch((error: unknown) => error);
    expect((await disk.load('t'))?.state).toMatchObject({
      overflows: 1,
      phase: { name: 'requesting', overflowed: true },
    });
    clock.now += 60_000;
    const second = scene({
      script: [answer('there')],
      summaries: ['the gist'],
      store: disk,
      compaction: wide,
    });
    const result = await second.agent.resume({ threadId: 't' });
    expect(result).toMatchObject({ status: 'completed', text: 'there' });
    expect(read(second.model, 0)).toEqual([
      'summary: the gist',
      'assistant: short answer',
      'user: next',
    ]);
  });

  test('a host that drives step by step gets `continues`, and the next step compacts', async () => {
    const { disk } = await fullThread();
    const { agent, writer } = scene({
      script: [overflow, answer('there')],
      summaries: ['the gist'],
      store: disk,
      compaction: wide,
    });
    expect((await agent.runStep({ threadId: 't', message: 'next' })).status).toBe('continues');
    expect(writer.calls).toBe(0);
    expect((await agent.runStep({ threadId: 't' })).status).toBe('completed');
    expect(writer.calls).toBe(1);
  });
});

describe.each(MODES)('C05: a cancel during a compaction replaces nothing, in $name', ({ turn }) => {
  test.each(['onContextCompact', 'preLlmRequest', 'the call', 'onLlmResponse'])(
    'C05: at %s',
    async (where) => {
      const { disk } = await fullThread();
      const controller = new AbortController();
      const park = (): Promise<never> => {
        controller.abort();
        return new Promise(() => undefined);
      };
      const at = (point: string) => (_payload: unknown, ctx: { purpose: string }) =>
        where === point && ctx.purpose === 'compaction' ? park() : undefined;
      const { agent, model, heard } = scene({
        script: [answer('never')],
        summaries: [
          () =>
            where === 'the call'
              ? park()
              : { text: 'gist', usage: { inputTokens: 7, outputTokens: 0 } },
        ],
        store: disk,
        hooks: [
          defineHooks({
            name: 'parked',
            onContextCompact: at('onContextCompact'),
            preLlmRequest: at('preLlmRequest'),
            onLlmResponse: at('onLlmResponse'),
          }),
        ],
      });
      const before = await disk.readMessages('t');
      const { signal } = controller;
      const result = await turn(agent, { threadId: 't', message: 'next', signal });
      expect(result.status).toBe('cancelled');
      expect(result.usage.inputTokens).toBe(where === 'onLlmResponse' ? 7 : 0);
      expect(model.calls).toBe(0);
      expect(await disk.readMessages('t')).toEqual(before);
      expect((await disk.load('t'))?.state).not.toHaveProperty('summary');
      // Nothing failed: nobody is told of a compaction that did.
      expect(typesOf(heard, 'error.raised', 'context.compacted')).toEqual([]);
      const ends = heard.filter((event) => event.type === 'turn.finished');
      expect(ends).toMatchObject([{ status: 'cancelled' }]);
    },
  );
});
