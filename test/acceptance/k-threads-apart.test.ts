import { describe, expect, test } from 'vitest';
import { type HookContext, type ModelRequest, scriptedModel, textOf } from '../../src/index.ts';
import { agentFor, counted, MODES, sleep, stores } from './play.ts';
import { expectAnswered, expectPairs } from './traces.ts';

// Nothing that an id made of random digits could hold.
const THREADS = ['quentin', 'rosalind', 'sylvester', 'thaddeus', 'ursula', 'wilhelm'];

/** Calls the tool once for the name the user gave, and then says it. */
function answer({ messages }: ModelRequest) {
  const name = messages.flatMap((message) => (message.role === 'user' ? [textOf(message)] : []))[0];
  return messages.some(({ role }) => role === 'tool')
    ? `good bye, ${name}`
    : { toolCalls: [{ name: 'look', input: { id: name } }] };
}

/** Remembers whom it has seen, with a wait between reading and writing in which the others run. */
const remembers = {
  name: 'remembers',
  async preLlmRequest({ messages }: { messages: ModelRequest['messages'] }, ctx: HookContext) {
    const seen = ctx.memory.get('seen') ?? [];
    await sleep(1);
    const names = messages.flatMap((message) => (message.role === 'user' ? textOf(message) : []));
    ctx.memory.set('seen', [...(Array.isArray(seen) ? seen : []), ...names, ctx.threadId]);
  },
};

describe.each(MODES)('%s', (mode) => {
  describe.each(stores())('%s store', (_name, open) => {
    test('K17, B50: threads that run at the same time on one agent know nothing of each other', async () => {
      const store = open();
      const look = counted('look', { sideEffects: 'none', execute: () => sleep(1) });
      const model = scriptedModel(Array.from({ length: 24 }, () => answer));
      const scene = { store, model, tools: [look.tool], hooks: [remembers] };
      const agent = agentFor(mode, scene);
      const turn = async (threadId: string) => {
        const input = { threadId, message: threadId };
        if (mode.startsWith('stream')) return agent.stream(input).result;
        if (mode === 'run') return agent.run(input);
        const first = await agent.runStep(input);
        return first.status === 'continues' ? agent.runStep({ threadId }) : first;
      };
      const results = await Promise.all(THREADS.map(turn));
      expect(results).toMatchObject(
        THREADS.map((threadId) => ({
          status: 'completed',
          threadId,
          text: `good bye, ${threadId}`,
        })),
      );
      for (const threadId of THREADS) {
        const messages = await store.readMessages(threadId);
        const events = await store.readEvents(threadId);
        const read = JSON.stringify([messages, events, await store.load(threadId)]);
        for (const other of THREADS) expect(read.includes(other)).toBe(other === threadId);
        expect(events.map(({ seq }) => seq)).toEqual(events.map((_, place) => place + 1));
        expect((await store.load(threadId))?.memory).toEqual({
          remembers: { seen: [threadId, threadId, threadId, threadId] },
        });
        expectAnswered(messages);
        expectPairs(events);
      }
      expect(look.inputs).toHaveLength(THREADS.length);
    });
  });
});

test('K17, on one thread: the same messages do know of each other', async () => {
  const [store] = stores().map(([, open]) => open());
  const look = counted('look', { sideEffects: 'none' });
  const model = scriptedModel(Array.from({ length: 24 }, () => answer));
  const agent = agentFor('run', {
    model,
    tools: [look.tool],
    hooks: [remembers],
    ...(store && { store }),
  });
  for (const message of THREADS.slice(0, 2)) await agent.run({ threadId: 't', message });
  expect(JSON.stringify((await store?.load('t'))?.memory)).toContain('"quentin","rosalind"');
});
