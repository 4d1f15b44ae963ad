import {
  createAgent,
  type Message,
  memoryStore,
  type ScriptEntry,
  scriptedModel,
  type ThreadStore,
} from 'agent-hooks';
import { sqliteStore } from 'agent-hooks/stores/sqlite';
import { afterAll, describe, expect, test } from 'vitest';
import { tempFiles } from '../stores/temp-files.ts';
import { answer, LONG, read, scene } from './scene.ts';

const newPath = tempFiles();
const opened: ThreadStore[] = [];
const STORES: readonly (readonly [string, () => ThreadStore])[] = [
  ['memory', () => memoryStore()],
  ['sqlite', () => sqliteStore({ path: newPath() })],
];
afterAll(async () => {
  for (const store of opened) await store.close?.();
});

/** What a store was asked to read, and how much it gave. */
interface Reads {
  readonly store: ThreadStore;
  readonly of: { after: number; gave: number }[];
}

function counted(store: ThreadStore): Reads {
  const of: Reads['of'] = [];
  opened.push(store);
  const readMessages: ThreadStore['readMessages'] = async (threadId, options) => {
    const messages = await store.readMessages(threadId, options);
    of.push({ after: options?.after ?? 0, gave: messages.length });
    return messages;
  };
  const proxy = new Proxy(store, {
    get(target, key) {
      if (key === 'readMessages') return readMessages;
      const member: unknown = Reflect.get(target, key);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  return { store: proxy, of };
}

/** Puts messages of earlier turns into a store, as turns would have, and faster. */
async function seed(store: ThreadStore, count: number): Promise<void> {
  await scene({ script: [answer('hello')], store, compaction: false }).agent.run({
    threadId: 't',
    message: 'hello',
  });
  const stored = await store.load('t');
  const claim = await store.claim('t', { holder: 'seed', ttlMs: 60_000 });
  const messages = Array.from({ length: count - 2 }, (_, index): Message => {
    const content = [{ type: 'text', text: `message ${index} of some length` } as const];
    return Object.freeze({ role: index % 2 === 0 ? 'user' : 'assistant', content });
  });
  const { state = {}, version = 0 } = stored ?? {};
  const nothing = { events: [], ledger: [], approvals: [], memory: {}, artifacts: [] };
  await store.commit('t', claim.token, version, { state, messages, ...nothing });
  await store.release('t', claim.token);
}

const COMPACTION = { maxTokens: 1_000, keepTokens: 250, maxSummaryTokens: 250 };

/** Runs turns on a thread, and says of each what the store was asked for and what the model read. */
async function turns({ store, of }: Reads, count: number, maxTokens = COMPACTION.maxTokens) {
  const model = scriptedModel(Array.from({ length: count }, () => answer('an answer of a length')));
  const writer = scriptedModel(Array.from({ length: 2 * count + 1_000 }, () => 'the gist'));
  const agent = createAgent({
    name: 'desk',
    model,
    store,
    compaction: { ...COMPACTION, maxTokens, model: writer },
  });
  const seen: { read: number; sent: number; ms: number }[] = [];
  for (let turn = 0; turn < count; turn += 1) {
    of.length = 0;
    const started = performance.now();
    await agent.run({ threadId: 't', message: `question ${turn}` });
    const ms = performance.now() - started;
    const sent = model.requests.at(-1)?.messages.length ?? 0;
    seen.push({ read: of.reduce((sum, { gave }) => sum + gave, 0), sent, ms });
  }
  return { seen, summaries: writer.calls };
}

function most(seen: readonly { readonly [key: string]: number }[], key: string): number {
  return Math.max(...seen.map((one) => one[key] ?? 0));
}

describe.each(STORES)('a long thread in %s', (_name, open) => {
  test('L10: of 20,000 messages a turn reads only what follows the last summary', async () => {
    const reads = counted(open());
    await seed(reads.store, 20_000);
    // The thread is read whole once, by a turn that compacts it in parts of its budget.
    const { seen: first, summaries } = await turns(reads, 1, 100_000);
    expect([first[0]?.read, summaries]).toEqual([20_000, 4]);
    // What is left fits that budget, and not the one from here on.
    const { seen } = await turns(reads, 61);
    const late = seen.slice(1);
    const young = counted(open());
    const { seen: early } = await turns(young, 120);
    expect(most(late, 'read')).toBeLessThanOrEqual(most(early, 'read'));
    expect(most(late, 'sent')).toBeLessThanOrEqual(most(early, 'sent'));
    expect((await reads.store.load('t'))?.messageCount).toBe(20_124);
  }, 60_000);

  test('L10: so does the turn after a long one, whose end is told again with all it added', async () => {
    const { store, of } = counted(open());
    const look = (index: number): ScriptEntry => ({
      toolCalls: [{ name: 'look', input: { at: `${index} ${'r'.repeat(60)}` } }],
      usage: { inputTokens: 0, outputTokens: 0 },
    });
    const script = [...Array.from({ length: 40 }, (_, index) => look(index)), answer('done')];
    const summaries = Array.from({ length: 40 }, () => 'the gist');
    const compaction = { maxTokens: 200 };
    const first = scene({ script, summaries, store, compaction });
    const long = await first.agent.run({ threadId: 't', message: 'go' });
    expect(long).toMatchObject({ status: 'completed', steps: 41 });
    const stored = await store.load('t');
    const { upTo } = (stored?.state['summary'] ?? { upTo: 0 }) as { readonly upTo: number };
    expect(upTo).toBeGreaterThan(70);
    of.length = 0;
    const second = scene({ script: [answer('short')], store, compaction });
    expect((await second.agent.cancel('t')).messages).toEqual(long.messages);
    expect(of).toEqual([{ after: 0, gave: 82 }]);
    of.length = 0;
    const next = await second.agent.run({ threadId: 't', message: 'next' });
    expect(next).toMatchObject({ status: 'completed', text: 'short' });
    expect(next.messages).toHaveLength(2);
    expect(of).toEqual([{ after: upTo, gave: 82 - upTo }]);
  });

  test('another process reads the summary and what follows it, and nothing else', async () => {
    const { store, of } = counted(open());
    const first = scene({
      script: [answer('short answer'), answer('second')],
      summaries: ['the gist'],
      store,
    });
    await first.agent.run({ threadId: 't', message: LONG });
    await first.agent.run({ threadId: 't', message: 'next' });
    of.length = 0;
    const second = scene({ script: [answer('third')], store });
    const result = await second.agent.run({ threadId: 't', message: 'more' });
    expect(of).toEqual([{ after: 1, gave: 3 }]);
    expect(read(second.model, 0)).toEqual([
      'summary: the gist',
      'assistant: short answer',
      'user: next',
      'assistant: second',
      'user: more',
    ]);
    expect(result.messages).toHaveLength(2);
    expect((await store.load('t'))?.messageCount).toBe(6);
  });

  test('a thread that begins to be compacted is read whole once', async () => {
    const { store, of } = counted(open());
    const plain = scene({ script: [answer('short answer')], store, compaction: false });
    await plain.agent.run({ threadId: 't', message: LONG });
    of.length = 0;
    const next = scene({
      script: [answer('second'), answer('third')],
      summaries: ['the gist'],
      store,
    });
    await next.agent.run({ threadId: 't', message: 'next' });
    await next.agent.run({ threadId: 't', message: 'more' });
    expect(of).toEqual([
      { after: 0, gave: 2 },
      { after: 1, gave: 3 },
    ]);
  });

  test('an agent without the option goes on from the summary', async () => {
    const { store, of } = counted(open());
    const first = scene({
      script: [answer('short answer'), answer('second')],
      summaries: ['the gist'],
      store,
    });
    await first.agent.run({ threadId: 't', message: LONG });
    await first.agent.run({ threadId: 't', message: 'next' });
    of.length = 0;
    const plain = scene({ script: [answer('third')], store, compaction: false });
    await plain.agent.run({ threadId: 't', message: 'more' });
    expect(of).toEqual([{ after: 1, gave: 3 }]);
    expect(read(plain.model, 0)[0]).toBe('summary: the gist');
  });

  test('a summary that stands for more than there is is a corrupt record', async () => {
    const store = open();
    opened.push(store);
    await scene({ script: [answer('short answer')], store }).agent.run({
      threadId: 't',
      message: 'x',
    });
    const stored = await store.load('t');
    const claim = await store.claim('t', { holder: 'h', ttlMs: 1_000 });
    await store.commit('t', claim.token, stored?.version ?? 0, {
      state: { ...stored?.state, summary: { text: 'x', upTo: 3 } },
      messages: [] as Message[],
      events: [],
      ledger: [],
      approvals: [],
      memory: {},
      artifacts: [],
    });
    await store.release('t', claim.token);
    const run = scene({ script: [], store }).agent.run({ threadId: 't', message: 'y' });
    await expect(run).rejects.toMatchObject({ code: 'corrupt-record' });
  });
});

test('L10: 10,000 turns on one thread cost the last what they cost the first', async () => {
  const { seen, summaries } = await turns(counted(memoryStore()), 10_000);
  const [early, late] = [seen.slice(500, 1_500), seen.slice(-1_000)];
  expect(most(late, 'read')).toBe(most(early, 'read'));
  expect(most(late, 'sent')).toBe(most(early, 'sent'));
  expect(summaries).toBeGreaterThan(100);
  const median = (list: readonly { ms: number }[]) =>
    list.map(({ ms }) => ms).sort((a, b) => a - b)[list.length >> 1] ?? 0;
  process.stdout.write(
    `a turn after 1,000 turns: ${median(early).toFixed(3)} ms, after 10,000: ${median(late).toFixed(3)} ms\n`,
  );
}, 60_000);
