import {
  type AgentEvent,
  type ChatRequest,
  createAgent,
  defineHooks,
  type Message,
  memoryStore,
  RequestDecision,
  scriptedModel,
} from 'agent-hooks';
import { expect, test } from 'vitest';
import { ThreadDigest } from '../../src/loop/thread-digest.ts';
import { answer, LONG, letters, scene } from './scene.ts';

const judge = defineHooks({ name: 'judge', preLlmRequest: () => RequestDecision.proceed() });

test('every request that is judged has a digest of its own, the one for the summary too', async () => {
  const store = memoryStore({ digests: true });
  const { agent, heard } = scene({
    script: [answer('short answer'), answer('second'), answer('third')],
    summaries: ['gist'],
    store,
    hooks: [judge],
  });
  for (const message of [LONG, 'next', 'more']) await agent.run({ threadId: 't', message });
  const seen = heard.flatMap((event) => (event.type === 'hook.decided' ? [event.digest] : []));
  expect(seen).toHaveLength(4);
  expect(new Set(seen).size).toBe(4);
  expect(seen).not.toContain(undefined);
  expect((await store.load('t'))?.state['historyDigest']).toMatchObject({ count: 4 });
});

test('the chain begins anew after a summary, in whatever process', () => {
  const message = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] });
  const [gist, third, fourth, note] = ['gist', 'third', 'fourth', 'note'].map(message) as [
    Message,
    Message,
    Message,
    Message,
  ];
  const request = (): ChatRequest => ({
    messages: [gist, third, fourth, note],
    settings: {},
    tools: [],
  });
  const layout = { before: 1, from: 2, count: 4 };
  const digestIn = (digest: ThreadDigest, asked: ChatRequest): string => {
    digest.noteLayout(asked, layout);
    return digest.ofRequest(asked);
  };
  const here = new ThreadDigest('key', { count: 3, head: 'of another chain' });
  here.restart(2);
  expect(here.isMade).toBe(false);
  const digest = digestIn(here, request());
  expect(here.isMade).toBe(true);
  // Loaded with the summary, and loaded with what the other has stored.
  expect(digestIn(new ThreadDigest('key', { count: 2, head: '' }), request())).toBe(digest);
  expect(digestIn(new ThreadDigest('key', here.latest), request())).toBe(digest);
  // Every message counts: the summary, what follows it, and what is only in this request.
  for (const index of [0, 1, 2, 3]) {
    const messages = request().messages.with(index, message('other'));
    const other = new ThreadDigest('key', { count: 2, head: '' });
    expect(digestIn(other, { ...request(), messages })).not.toBe(digest);
  }
});

test('where nobody keeps or hears digests, none is made', async () => {
  const store = memoryStore();
  const agent = createAgent({
    name: 'desk',
    model: scriptedModel([answer('short answer'), 'gist', answer('second')]),
    store,
    hooks: [judge],
    compaction: { maxTokens: 100, keepTokens: 20, maxSummaryTokens: 50, countTokens: letters },
  });
  await agent.run({ threadId: 't', message: LONG });
  await agent.run({ threadId: 't', message: 'next' });
  const { state = {} } = (await store.load('t')) ?? {};
  expect(state).toHaveProperty('summary');
  expect(state).not.toHaveProperty('historyDigest');
  const events: readonly AgentEvent[] = await store.readEvents('t');
  expect(events.filter((event) => 'digest' in event)).toEqual([]);
});
