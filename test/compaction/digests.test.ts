import { isDeepStrictEqual } from 'node:util';
import {
  type AgentEvent,
  type ChatRequest,
  createAgent,
  defineHooks,
  type Message,
  memoryStore,
  RequestDecision,
  scriptedModel,
  type ThreadStore,
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
  expect(await chainOf(store)).toEqual({ upTo: 1, isWhole: true });
});

test('a chain that was begun before a summary is not gone on with', async () => {
  const store = memoryStore({ digests: true });
  const call = (at: string) => ({
    toolCalls: [{ name: 'look', input: { at } }],
    usage: { inputTokens: 0, outputTokens: 0 },
  });
  const { agent } = scene({
    script: [call('a'.repeat(120)), call('b'.repeat(120)), answer('done')],
    summaries: ['gist'],
    store,
    hooks: [judge],
  });
  await agent.run({ threadId: 't', message: 'go' });
  expect(await chainOf(store)).toEqual({ upTo: 3, isWhole: true });
});

/** Whether what is stored is the chain of what follows the summary, as any process would make it. */
async function chainOf(store: ThreadStore): Promise<{ upTo: number; isWhole: boolean }> {
  const { state = {} } = (await store.load('t')) ?? {};
  const { upTo } = state['summary'] as { upTo: number };
  const { count } = state['historyDigest'] as { count: number };
  const chain = new ThreadDigest(String(state['digestKey']), { count: upTo, head: '' });
  const messages = (await store.readMessages('t')).slice(upTo, count);
  const request: ChatRequest = { messages, settings: {}, tools: [] };
  chain.noteLayout(request, { before: 0, from: upTo, count });
  chain.ofRequest(request);
  return { upTo, isWhole: isDeepStrictEqual(state['historyDigest'], chain.latest) };
}

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
