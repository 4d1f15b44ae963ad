import {
  createAgent,
  defineHooks,
  parallel,
  QueryDecision,
  ResultsDecision,
  scriptedModel,
  shadow,
  validateHooks,
  when,
} from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import {
  ask,
  HANDBOOK,
  Library,
  lookUp,
  NOT_SEARCHED,
  ofType,
  shown,
} from '../acceptance/library.ts';

const expand = defineHooks({
  name: 'expand',
  onKnowledgeQuery: ({ query }) => QueryDecision.modify(`${query} fares`),
});
const firstOnly = defineHooks({
  name: 'first-only',
  onKnowledgeResults: ({ passages }) => ResultsDecision.modify(passages.slice(0, 1)),
});

describe('policies of a search, combined', () => {
  test('one on trial is recorded, and changes neither query nor passages', async () => {
    const { index, found, heard } = await ask('run', [shadow(expand), shadow(firstOnly)]);
    expect(index.queries).toEqual(['42']);
    expect(found.output).toEqual(shown(...HANDBOOK));
    expect(ofType(heard, 'hook.decided')).toMatchObject([
      { policy: 'expand', decision: 'modify', shadow: true },
      { policy: 'first-only', decision: 'modify', shadow: true },
    ]);
  });

  test('a condition reads the query', async () => {
    const onlyBags = when((_ctx, { payload }) => JSON.stringify(payload).includes('bags'), expand);
    expect((await ask('run', [onlyBags], { query: '42' })).index.queries).toEqual(['42']);
    expect((await ask('run', [onlyBags], { query: 'bags' })).index.queries).toEqual(['bags fares']);
  });

  test('at the same time a rewrite is a failure of its policy, closed as the point is', async () => {
    const { index, found } = await ask('run', [
      parallel(expand, defineHooks({ name: 'w', onKnowledgeQuery: () => undefined })),
    ]);
    expect(index.queries).toEqual([]);
    expect(found.output).toEqual(NOT_SEARCHED);
  });

  test('order counts: the last has the last word', async () => {
    const last = defineHooks({
      name: 'last',
      order: 'last',
      onKnowledgeQuery: ({ query }) => QueryDecision.modify(query.toUpperCase()),
    });
    const { index } = await ask('run', [last, expand]);
    expect(index.queries).toEqual(['42 FARES']);
  });

  test('a filter that is open is warned of, one that is closed is not', () => {
    expect(validateHooks([firstOnly])).toMatchObject([
      { code: 'open-point', member: 'onKnowledgeResults' },
    ]);
    const options = { onKnowledgeResults: { failure: 'closed' } } as const;
    expect(validateHooks([defineHooks({ ...firstOnly, options })])).toEqual([]);
  });

  test('M-134: beside nothing but these a stream is live', async () => {
    const model = scriptedModel([{ toolCalls: [lookUp('42')] }, 'That is it.']);
    const hooks = [expand, firstOnly];
    const stream = createAgent({ name: 'a', model, knowledge: new Library(), hooks }).stream({
      message: 'hi',
    });
    const pieces: string[] = [];
    for await (const event of stream)
      if (event.type === 'llm.delta' && event.kind === 'text') pieces.push(event.text);
    expect(pieces.join('')).toBe('That is it.');
  });
});
