import {
  createAgent,
  defineHooks,
  type KnowledgeOption,
  type KnowledgePassage,
  scriptedModel,
} from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { latch } from '../acceptance/latch.ts';
import { ask, HANDBOOK, Library, lookUp, NOT_SEARCHED, ofType } from '../acceptance/library.ts';
import { counted, sleep } from '../acceptance/play.ts';

const textsIn = (output: unknown) =>
  (output as { readonly passages: readonly KnowledgePassage[] }).passages.map(({ text }) => text);
const texts = HANDBOOK.map(({ text }) => text);

async function searchWith(index: Library, options: object = {}) {
  const { found, heard } = await ask('run', [], { more: { knowledge: { index, ...options } } });
  return { ...found, heard };
}

describe('the option `knowledge`', () => {
  test('gives the model one more tool, which needs nobody to ask', async () => {
    const look = counted('look');
    const { model } = await ask('run', [], { more: { tools: [look.tool] } });
    const names = model.requests[0]?.tools.map(({ name }) => name);
    expect(names).toEqual(['look', 'search_knowledge']);
    expect(model.requests[0]?.tools[1]).toMatchObject({
      inputSchema: { type: 'object', required: ['query'] },
    });
  });

  test('without it there is no such tool', async () => {
    const model = scriptedModel([{ toolCalls: [lookUp('x')] }, 'ok']);
    const result = await createAgent({ name: 'a', model }).run({ message: 'hi' });
    expect(model.requests[0]?.tools).toEqual([]);
    expect(result.messages[2]).toMatchObject({ content: [{ outcome: 'unknown-tool' }] });
  });

  test('its description is what the model reads', async () => {
    const more = { knowledge: { index: new Library(), description: 'The fares of 1987.' } };
    const { model } = await ask('run', [], { more });
    expect(model.requests[0]?.tools[0]?.description).toBe('The fares of 1987.');
  });

  test('the index is told the limit, the context and nothing else, and cannot exceed the limit', async () => {
    const index = new Library();
    const context = { tenant: 'acme' };
    const model = scriptedModel([{ toolCalls: [lookUp('42')] }, 'ok']);
    const agent = createAgent({ name: 'a', model, knowledge: { index, limit: 2 } });
    const result = await agent.run({ message: 'hi', context });
    const [options] = index.options;
    expect(options).toEqual({ limit: 2, signal: expect.any(AbortSignal), context });
    expect(options?.context).toBe(context);
    expect(result.messages[2]).toMatchObject({
      content: [{ output: { passages: [{ text: texts[0] }, { text: texts[1] }] } }],
    });
    expect(JSON.stringify(result.messages)).not.toContain(texts[2]);
  });

  test('five is the limit by default', async () => {
    const many = Array.from({ length: 9 }, (_, n) => ({ text: `${n}`, scope: 's', source: 'x' }));
    const index = new Library(() => many);
    const { output } = await searchWith(index);
    expect(textsIn(output)).toEqual(['0', '1', '2', '3', '4']);
    expect(index.options[0]?.limit).toBe(5);
  });

  test('minScore drops what is below it and what has no score', async () => {
    const index = new Library(() => [...HANDBOOK, { text: 'u', scope: 's', source: 'x' }]);
    expect(textsIn((await searchWith(index, { minScore: 0.5 })).output)).toEqual(texts.slice(0, 2));
    expect(textsIn((await searchWith(index)).output)).toEqual([...texts, 'u']);
  });

  test('a search that takes longer than timeoutMs is a failed call, and the index is told', async () => {
    const index = new Library(() => new Promise(() => undefined));
    const { outcome, output } = await searchWith(index, { timeoutMs: 10 });
    expect([outcome, output]).toEqual([
      'failed',
      { error: 'Tool timed out. Do not claim success.' },
    ]);
    expect(index.options[0]?.signal.aborted).toBe(true);
  });

  test('a search that ends after that is judged by nobody', async () => {
    const asked: unknown[] = [];
    const watch = defineHooks({
      name: 'w',
      onKnowledgeResults: (given) => void asked.push(given),
      preLlmRequest: async () => void (await sleep(30)),
    });
    const index = new Library(() => sleep(20).then(() => HANDBOOK));
    const { found } = await ask('run', [watch], { more: { knowledge: { index, timeoutMs: 5 } } });
    expect([found.output, index.queries, asked]).toEqual([
      { error: 'Tool timed out. Do not claim success.' },
      ['42'],
      [],
    ]);
  });

  test('an index is not asked when the policies have used the time up', async () => {
    const slow = defineHooks({
      name: 's',
      onKnowledgeQuery: async () => void (await sleep(20)),
      preLlmRequest: async () => void (await sleep(30)),
    });
    const index = new Library();
    const { found } = await ask('run', [slow], { more: { knowledge: { index, timeoutMs: 5 } } });
    expect([found.output, index.queries]).toEqual([
      { error: 'Tool timed out. Do not claim success.' },
      [],
    ]);
  });

  test('searches of one batch are made side by side, and policies see a harmless call', async () => {
    const both = latch();
    const seen: unknown[] = [];
    const spy = defineHooks({
      name: 'spy',
      preToolUse: ({ tier, sideEffects }) => void seen.push(tier, sideEffects),
    });
    const index: Library = new Library(() => {
      if (index.queries.length === 2) both.open();
      return both.whenOpen.then(() => []);
    });
    const model = scriptedModel([{ toolCalls: [lookUp('a'), lookUp('b')] }, 'ok']);
    const agent = createAgent({ name: 'a', model, knowledge: index, hooks: [spy] });
    expect(await agent.run({ message: 'hi' })).toMatchObject({ status: 'completed' });
    expect(seen).toEqual(['auto', 'none', 'auto', 'none']);
  });

  test.each<[string, unknown]>([
    ['no index', {}],
    ['a text', 'docs'],
    ['null', null],
    ['a function', () => []],
    ['an index without search', { index: { find: () => [] } }],
    ['a limit of 0', { index: new Library(), limit: 0 }],
    ['a limit of 51', { index: new Library(), limit: 51 }],
    ['half a limit', { index: new Library(), limit: 2.5 }],
    ['a score that is no number', { index: new Library(), minScore: Number.NaN }],
    ['no time', { index: new Library(), timeoutMs: 0 }],
    ['an empty description', { index: new Library(), description: ' ' }],
  ])('%s is refused when the agent is built', (_what, knowledge) => {
    const build = () => agentWith(knowledge as KnowledgeOption);
    expect(build).toThrow(expect.objectContaining({ code: 'invalid-option' }));
    expect(build).toThrow(/knowledge/);
  });

  test('a misspelled option is refused with the one that is meant', () => {
    const knowledge = { index: new Library(), minscore: 1 } as KnowledgeOption;
    expect(() => agentWith(knowledge)).toThrow(/minScore/);
  });

  test('a tool of the same name is refused', () => {
    const { tool } = counted('search_knowledge');
    expect(() => agentWith(new Library(), [tool])).toThrow(
      expect.objectContaining({ code: 'duplicate-tool' }),
    );
  });
});

describe('what a model reads of passages', () => {
  const big = (text: string, source = 'x') => ({ text, scope: 's', source });

  test('holds no metadata, and nothing an index gives beyond a passage', async () => {
    const given = { ...HANDBOOK[0], metadata: { readers: ['secret-group'] }, vector: [1, 2] };
    const seen: unknown[] = [];
    const index = new Library(() => [given]);
    const { found, model } = await ask(
      'run',
      [{ name: 'w', onKnowledgeResults: ({ passages }) => void seen.push(...passages) }],
      { index },
    );
    expect(found.output).toEqual({ passages: [HANDBOOK[0]] });
    expect(JSON.stringify(model.requests)).not.toContain('secret-group');
    expect(seen).toEqual([{ ...HANDBOOK[0], metadata: { readers: ['secret-group'] } }]);
  });

  test('is at most 20,000 characters: what does not fit is left out and counted', async () => {
    const index = new Library(() => [big('a'.repeat(12_000)), big('b'.repeat(8_001)), big('c')]);
    const { output, heard } = await searchWith(index);
    expect(textsIn(output)).toEqual(['a'.repeat(12_000)]);
    expect(output).toMatchObject({ leftOut: 2 });
    expect(ofType(heard, 'knowledge.found')).toMatchObject([{ passages: 1 }]);
  });

  test('fits exactly 20,000', async () => {
    const index = new Library(() => [big('a'.repeat(12_000)), big('b'.repeat(8_000))]);
    const { output } = await searchWith(index);
    expect(textsIn(output)).toHaveLength(2);
    expect(output).not.toHaveProperty('leftOut');
  });

  test('one passage that alone is too long is cut, and half a character is replaced', async () => {
    const index = new Library(() => [big(`a${'🙂'.repeat(20_000)}`, '🙂'.repeat(2_000))]);
    const { output } = await searchWith(index);
    const [text = ''] = textsIn(output);
    expect(text).toMatch(/🙂\ufffd \[cut\]$/u);
    expect(text.length).toBe(20_006);
    expect(JSON.stringify(output).length).toBeLessThan(21_000);
    expect(JSON.stringify(output)).not.toMatch(/\\ud83d/);
  });

  test('an index whose answer cannot be looked at has failed', async () => {
    const hostile = new Proxy([], {
      get() {
        throw new Error('password=hunter2');
      },
    });
    const { output, heard } = await searchWith(new Library(() => hostile));
    expect(output).toEqual(NOT_SEARCHED);
    expect(JSON.stringify(heard)).not.toContain('hunter2');
  });

  test('a passage with a forged key changes no prototype', async () => {
    const given: unknown = JSON.parse(
      '{"text":"t","scope":"s","source":"x","__proto__":{"score":9},"metadata":{"__proto__":{"a":1}}}',
    );
    const { output } = await searchWith(new Library(() => [given]));
    expect(output).toEqual({ passages: [{ text: 't', scope: 's', source: 'x' }] });
  });
});

function agentWith(
  knowledge: KnowledgeOption,
  tools: readonly ReturnType<typeof counted>['tool'][] = [],
) {
  return createAgent({ name: 'a', model: scriptedModel([]), knowledge, tools });
}
