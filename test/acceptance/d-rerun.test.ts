import { describe, expect, test } from 'vitest';
import {
  type AgentOptions,
  createAgent,
  defineHooks,
  type ScriptEntry,
  scriptedModel,
  type ThreadStore,
  toolCallsOf,
} from '../../src/index.ts';
import { ofType, transcript } from './evidence.ts';
import { MODES } from './modes.ts';
import { onEveryStore } from './on-every-store.ts';
import { counted, expectStatus } from './play.ts';
import { expectAnswered, expectPairs } from './traces.ts';

const input = { threadId: 't', message: 'go' };
const again = { threadId: 't', message: 'again' };
const LOOK = { toolCalls: [{ name: 'look' }] };

/** One agent of many on a thread: each call of it costs 10 tokens in and 20 out. */
function build(
  store: ThreadStore,
  script: readonly ScriptEntry[],
  more: Partial<AgentOptions> = {},
) {
  const look = counted('look', { sideEffects: 'none' });
  const model = scriptedModel(script, { strict: true });
  return {
    agent: createAgent({ name: 'a', model, tools: [look.tool], store, ...more }),
    model,
    looked: look.inputs,
  };
}

async function expectWhole(store: ThreadStore, statuses: readonly string[]): Promise<void> {
  const events = await store.readEvents('t');
  expect(ofType(events, 'turn.finished').map(({ status }) => status)).toEqual(statuses);
  expectPairs(events);
  expectAnswered(await store.readMessages('t'));
}

await onEveryStore((open) => {
  describe.each(MODES)('$name', ({ turn }) => {
    test('D13: a thread that has reached its limit runs again once that is raised', async () => {
      const store = open();
      const thread = { tokens: 25 };
      const stopped = build(store, [LOOK, 'never'], { limits: { thread } });
      expect(await turn(stopped.agent, input)).toMatchObject({
        status: 'limited',
        limit: 'thread-tokens',
      });
      expect(stopped.model.calls).toBe(1);
      const raised = build(store, ['done']);
      expect(await turn(raised.agent, again)).toMatchObject({ status: 'completed', text: 'done' });
      await expectWhole(store, ['limited', 'completed']);
    });

    test('D24: a limit of tokens takes no step from the thread that it did not use', async () => {
      const store = open();
      const limits = (tokens: number) => ({ limits: { thread: { steps: 2, tokens } } });
      const stopped = build(store, [LOOK, 'never'], limits(25));
      expect(await turn(stopped.agent, input)).toMatchObject({ limit: 'thread-tokens', steps: 1 });
      const raised = build(store, ['done', 'never'], limits(1_000));
      expectStatus(await turn(raised.agent, again), 'completed');
      expect(raised.model.calls).toBe(1);
      // And now both are used.
      const over = build(store, ['never'], limits(1_000));
      expect(await turn(over.agent, again)).toMatchObject({ limit: 'thread-steps' });
    });

    test('D14: a thread whose turn was cancelled after a tool runs again', async () => {
      const store = open();
      const abort = new AbortController();
      const cancels = defineHooks({ name: 'cancels', postToolUse: () => abort.abort() });
      const first = build(store, [LOOK, 'never'], { hooks: [cancels] });
      const stopped = await turn(first.agent, { ...input, signal: abort.signal });
      expectStatus(stopped, 'cancelled');
      expect([first.model.calls, first.looked.length]).toEqual([1, 1]);
      expectStatus(await turn(build(store, ['done']).agent, again), 'completed');
      await expectWhole(store, ['cancelled', 'completed']);
    });

    test('D16: a thread whose turn was cancelled within its first call runs again', async () => {
      const store = open();
      const abort = new AbortController();
      const cancels = () => {
        abort.abort();
        return 'too late';
      };
      const first = build(store, [cancels]);
      const stopped = await turn(first.agent, { ...input, signal: abort.signal });
      expectStatus(stopped, 'cancelled');
      expectStatus(await turn(build(store, ['done']).agent, again), 'completed');
      expect(transcript(await store.readMessages('t'))).toEqual([
        'user: go',
        'user: again',
        'assistant: done',
      ]);
      await expectWhole(store, ['cancelled', 'completed']);
    });

    test('D21: messages that waited for each other leave a thread that another agent goes on with', async () => {
      const store = open();
      const model = scriptedModel(['one', 'two'], { delayMs: 2 });
      const first = createAgent({ name: 'a', model, store, onBusy: 'queue' });
      const both = await Promise.all([turn(first, input), turn(first, again)]);
      expect(both.map(({ status }) => status)).toEqual(['completed', 'completed']);
      expectStatus(await turn(build(store, ['three']).agent, again), 'completed');
      await expectWhole(store, ['completed', 'completed', 'completed']);
    });

    test.each([
      ['stop', 'completed', ['user: go', 'assistant: half']],
      ['content-filter', 'refused', ['user: go']],
    ] as const)(
      'D22: of an answer that ended with %s no call is judged, runs, is told of or kept',
      async (finishReason, status, kept) => {
        const store = open();
        const asked: string[] = [];
        const watch = defineHooks({
          name: 'watch',
          preToolUse: ({ toolName }) => void asked.push(toolName),
        });
        const ended = { text: 'half', ...LOOK, finishReason };
        const { agent, looked, model } = build(store, [ended, 'never'], { hooks: [watch] });
        expectStatus(await turn(agent, input), status);
        expect([asked, looked, model.calls]).toEqual([[], [], 1]);
        const events = await store.readEvents('t');
        expect(events.filter(({ type }) => type.startsWith('tool.'))).toEqual([]);
        const messages = await store.readMessages('t');
        expect(transcript(messages)).toEqual(kept);
        expect(messages.flatMap(toolCallsOf)).toEqual([]);
        await expectWhole(store, [status]);
      },
    );

    test('D22 twin: of one that ended with tool-calls it runs', async () => {
      const { agent, looked } = build(open(), [LOOK, 'done']);
      expect(await turn(agent, input)).toMatchObject({ status: 'completed', text: 'done' });
      expect(looked).toHaveLength(1);
    });
  });
});
