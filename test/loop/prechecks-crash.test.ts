import { type ModelRequest, memoryStore, type ThreadStore, tool } from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { dyingStore } from './desk.ts';
import { lockDesk } from './lock-desk.ts';

const both = {
  text: 'Bye!',
  toolCalls: ['book', 'note'].map((name) => ({ name, input: {} })),
};
const answering = ({ messages }: ModelRequest) =>
  messages.at(-1)?.role === 'tool' ? 'done' : both;

/** Two calls that must not run twice; the rule of the first has an outcome, and its run would end the conversation. */
function scene(store: ThreadStore, outcome: () => object | null) {
  const ran: string[] = [];
  const once = (name: string, more: object) =>
    tool({
      name,
      inputSchema: z.object({}),
      sideEffects: 'once',
      tier: 'auto',
      execute: () => {
        ran.push(name);
        return { status: 'booked' };
      },
      ...more,
    });
  const book = once('book', { precheck: outcome, endsConversation: true });
  const script = Array.from({ length: 4 }, () => answering as never);
  const desk = lockDesk({ script, tools: [book, once('note', {})], store });
  return { desk, ran };
}

describe('a process that ends between any two commits', () => {
  for (const commits of [1, 2, 3, 4]) {
    test(`U-F13, after ${commits}: what a precheck gave ends no conversation in another process`, async () => {
      let now = 1_000;
      const store = memoryStore({ now: () => now });
      const before = scene(dyingStore(store, commits), () => ({ status: 'past_day' }));
      await before.desk.run().catch((error: unknown) => error);
      now += 60_000;
      // By now the rule would let it run, which must not make the outcome that was recorded another one.
      const after = scene(store, () => ({ status: 'past_day' }));
      const phase = (await store.load('t'))?.state['phase'] as { readonly name: string };
      if (phase.name !== 'finished') await after.desk.agent.resume({ threadId: 't' });
      expect([...before.ran, ...after.ran]).not.toContain('book');
      expect((await store.readEvents('t')).map(({ type }) => type)).not.toContain('thread.ended');
      const messages = JSON.stringify(await store.readMessages('t'));
      expect(messages).toContain('"toolName":"book"');
      expect(messages).not.toContain('"prechecked"');
      const callIds = (await store.readEvents('t')).flatMap((event) =>
        event.type === 'tool.called' && event.toolName === 'book' ? [event.callId] : [],
      );
      const [entry] = await store.readLedger('t', callIds);
      if (entry?.result !== undefined) expect(entry.result.prechecked).toBe(true);
    });
  }

  test('an outcome that is in the ledger is told of as one of a precheck', async () => {
    let now = 1_000;
    const store = memoryStore({ now: () => now });
    const before = scene(dyingStore(store, 3), () => ({ status: 'past_day' }));
    await before.desk.run().catch((error: unknown) => error);
    now += 60_000;
    const ids = (await store.readEvents('t')).flatMap((event) =>
      event.type === 'tool.called' ? [event.callId] : [],
    );
    const [kept] = await store.readLedger('t', ids.slice(0, 1));
    expect(kept?.result).toMatchObject({ prechecked: true });
    const after = scene(store, () => null);
    await after.desk.agent.resume({ threadId: 't' });
    expect(after.ran).not.toContain('book');
    const told = (await store.readEvents('t')).filter(({ type }) => type === 'tool.succeeded');
    expect(told[0]).toMatchObject({ prechecked: true });
    expect((await store.readEvents('t')).map(({ type }) => type)).not.toContain('thread.ended');
  });
});
