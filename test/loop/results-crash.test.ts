import { type ModelRequest, memoryStore, type ThreadStore, type ToolContext } from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { dyingStore } from './desk.ts';
import {
  calls,
  hangUpTool,
  order,
  orderTool,
  type ResultState,
  resultDesk,
  saying,
} from './result-desk.ts';

/** A disk on which the claim of an ended process has run out when the next one comes. */
function disk(): { readonly store: ThreadStore; readonly pass: () => void } {
  let now = 1_000;
  return {
    store: memoryStore({ now: () => now }),
    pass: () => {
      now += 60_000;
    },
  };
}

const answering =
  (first: object) =>
  ({ messages }: ModelRequest) =>
    messages.at(-1)?.role === 'tool' ? 'Found.' : first;

/** Runs until the process ends after some commits, and goes on in another. */
async function crashed(commits: number, scene: { tools: never[]; first: object }) {
  const { store, pass } = disk();
  const script = Array.from({ length: 4 }, () => answering(scene.first) as never);
  const before = resultDesk({ script, tools: scene.tools, store: dyingStore(store, commits) });
  const start = { threadId: 't', message: 'go' };
  await before.agent.run(start).catch((error: unknown) => error);
  pass();
  const after = resultDesk({ script, tools: scene.tools, store });
  const stored = await store.load('t');
  const phase = (stored?.state['phase'] as { name?: string } | undefined)?.name;
  if (phase === 'finished') return { store, result: undefined };
  const result =
    commits === 0 ? await after.agent.run(start) : await after.agent.resume({ threadId: 't' });
  return { store, result };
}

const rows = [{ field: 'order_number', path: ['order_id'] }];
const once = { sideEffects: 'once', tier: 'auto' } as const;

describe('a process that ends between any two commits', () => {
  for (const commits of [0, 1, 2, 3, 4]) {
    test(`after ${commits}: what a call saved is stored with its outcome, and only then`, async () => {
      const find = orderTool({ ...once, assign: rows });
      const other = hangUpTool({ name: 'other', endsConversation: false });
      const scene = { tools: [find, other] as never[], first: calls('find_order', 'other') };
      const { result } = await crashed(commits, scene);
      expect(result?.status).toBe('completed');
      const isKnown = JSON.stringify(result?.messages).includes('A-1');
      const { order_number } = { order_number: undefined, ...result?.state };
      expect(order_number).toBe(isKnown ? 'A-1' : undefined);
    });

    test(`after ${commits}: the conversation ends exactly where its tool is known to have worked`, async () => {
      const scene = {
        tools: [orderTool({ ...once }), hangUpTool()] as never[],
        first: saying('Bye!', 'hang_up', 'find_order'),
      };
      const { store, result } = await crashed(commits, scene);
      const messages = JSON.stringify(result?.messages ?? (await store.readMessages('t')));
      const isKnown = messages.includes('"toolName":"hang_up","outcome":"succeeded"');
      const ended = (await store.readEvents('t')).filter(({ type }) => type === 'thread.ended');
      expect(ended).toHaveLength(isKnown ? 1 : 0);
      if (result !== undefined)
        expect(result).toMatchObject({ text: isKnown ? 'Bye!' : 'Found.', status: 'completed' });
    });
  }

  for (const commits of [0, 1, 2, 3]) {
    test(`after ${commits}: a line is said once, and where the outcome is not known the model answers`, async () => {
      const find = orderTool({ ...once, replies: [{ say: ['One.', 'Two.'] }] });
      const scene = { tools: [find] as never[], first: calls('find_order') };
      const { store, result } = await crashed(commits, scene);
      const messages = JSON.stringify(await store.readMessages('t'));
      const isKnown = messages.includes('A-1');
      const said = (await store.readEvents('t')).filter(({ type }) => type === 'line.said');
      expect(said).toHaveLength(isKnown ? 1 : 0);
      expect(messages.split('One.')).toHaveLength(isKnown ? 2 : 1);
      if (result !== undefined)
        expect(result).toMatchObject({ status: 'completed', text: isKnown ? 'One.' : 'Found.' });
    });
  }

  test('a call that was done before the crash has its line said by the next process', async () => {
    const find = orderTool({ ...once, replies: [{ say: 'One.' }] });
    const other = hangUpTool({
      name: 'other',
      endsConversation: false,
      replies: [{ say: 'Two.' }],
    });
    const scene = { tools: [find, other] as never[], first: calls('find_order', 'other') };
    const texts: unknown[] = [];
    for (const commits of [2, 3, 4]) {
      const { result } = await crashed(commits, scene);
      texts.push(result?.status === 'completed' ? result.text : result?.status);
    }
    // Before it is known of both calls that they worked, the model is asked.
    expect(texts).toEqual(['Found.', 'Found.', 'One.\nTwo.']);
  });

  test('what an earlier process saved is not saved again over what came later', async () => {
    const find = orderTool({ ...once, assign: [{ field: 'name', path: ['order_id'] }] });
    const other = hangUpTool({
      name: 'other',
      endsConversation: false,
      execute: (_input: object, { state }: ToolContext<unknown, ResultState>) => {
        state.set('name', 'later');
        return { ok: true };
      },
    });
    const scene = { tools: [find, other] as never[], first: calls('find_order', 'other') };
    const { result } = await crashed(4, scene);
    expect(result?.state).toMatchObject({ name: 'later' });
  });

  test('what came when its process was gone is saved and answered by the next', async () => {
    const { store, pass } = disk();
    const replies = [{ say: 'Saved {{order_number}}.' }];
    const tools = [orderTool({ ...once, assign: rows, replies })];
    const script = [calls('find_order'), 'Found.'];
    const first = resultDesk({ script, tools, store: dyingStore(store, 2) });
    await first.run().catch((error: unknown) => error);
    await store.recordLate('t', '1.1.0', { outcome: 'succeeded', isError: false, output: order });
    pass();
    const second = resultDesk({ script: ['Found.'], tools, store });
    const result = await second.agent.resume({ threadId: 't' });
    expect(result).toMatchObject({ text: 'Saved A-1.', state: { order_number: 'A-1' } });
  });
});
