import { describe, expect, test } from 'vitest';
import { defineHooks, QueryDecision } from '../../src/index.ts';
import { ask, HANDBOOK, Library, NOT_SEARCHED, ofType, shown } from './library.ts';
import { illegal, MODES } from './play.ts';
import { expectSound } from './traces.ts';

const asTicket = defineHooks({
  name: 'as-ticket',
  onKnowledgeQuery: ({ query }) => QueryDecision.modify(`ticket ${query}`),
});

describe.each(MODES)('a search for knowledge, in %s', (mode) => {
  test('without a policy the index is asked what the model asks, and the model reads what it gives', async () => {
    const { index, found, result, heard } = await ask(mode, []);
    expect(index.queries).toEqual(['42']);
    expect(found).toEqual({ outcome: 'succeeded', isError: false, output: shown(...HANDBOOK) });
    expect(result.status).toBe('completed');
    expect(ofType(heard, 'knowledge.queried')).toMatchObject([{ query: '42', callId: '1.1.0' }]);
    expect(ofType(heard, 'knowledge.found')).toMatchObject([{ passages: 3, callId: '1.1.0' }]);
  });

  test('M-119: the index is asked what the policies made of the query', async () => {
    const { index, found, heard } = await ask(mode, [asTicket]);
    expect(index.queries).toEqual(['ticket 42']);
    expect(found.output).toEqual(shown(...HANDBOOK));
    expect(ofType(heard, 'hook.decided')).toMatchObject([
      { policy: 'as-ticket', point: 'onKnowledgeQuery', decision: 'modify', callId: '1.1.0' },
    ]);
    expect(ofType(heard, 'knowledge.queried')).toMatchObject([{ query: 'ticket 42' }]);
  });

  test('M-119: each policy sees the query as the one before left it, and nobody is asked twice', async () => {
    const seen: string[] = [];
    const note = defineHooks({
      name: 'note',
      onKnowledgeQuery: ({ query }, { recheck }) => void seen.push(`${query} ${recheck}`),
    });
    const urgent = defineHooks({
      name: 'urgent',
      onKnowledgeQuery: ({ query }) => QueryDecision.modify(`${query} urgent`),
    });
    const { index } = await ask(mode, [note, asTicket, urgent]);
    expect(seen).toEqual(['42 false']);
    expect(index.queries).toEqual(['ticket 42 urgent']);
  });

  test.each(['', '  \n'])(
    'M-119: an empty query (%j) asks no policy and no index',
    async (query) => {
      const asked: unknown[] = [];
      const count = (given: unknown) => void asked.push(given);
      const policy = defineHooks({
        name: 'count',
        onKnowledgeQuery: count,
        onKnowledgeResults: count,
      });
      const { index, found, result, heard } = await ask(mode, [policy], { query });
      expect([asked, index.queries]).toEqual([[], []]);
      expect(found).toEqual({ outcome: 'succeeded', isError: false, output: { passages: [] } });
      expect(result.status).toBe('completed');
      expect(heard.filter(({ type }) => type.startsWith('knowledge.'))).toEqual([]);
    },
  );

  test('M-119: a query that a policy empties asks no index', async () => {
    const asked: unknown[] = [];
    const policy = defineHooks({
      name: 'empty',
      onKnowledgeQuery: () => QueryDecision.modify(' '),
      onKnowledgeResults: (given) => void asked.push(given),
    });
    const { index, found } = await ask(mode, [policy]);
    expect([asked, index.queries, found.output]).toEqual([[], [], { passages: [] }]);
  });

  test('M-120: a policy that fails at the query costs the search and not the turn', async () => {
    const asked: unknown[] = [];
    const policy = defineHooks({
      name: 'broken',
      onKnowledgeQuery() {
        throw new Error('secret-7');
      },
      onKnowledgeResults: (given) => void asked.push(given),
    });
    const played = await ask(mode, [policy]);
    const { index, found, result, heard, model, stored } = played;
    expect([index.queries, asked]).toEqual([[], []]);
    expect(found).toEqual({ outcome: 'failed', isError: true, output: NOT_SEARCHED });
    expect(result).toMatchObject({ status: 'completed', text: 'That is it.' });
    expect(ofType(heard, 'hook.failed')).toMatchObject([
      { policy: 'broken', point: 'onKnowledgeQuery', kind: 'threw', open: false, callId: '1.1.0' },
    ]);
    expect(JSON.stringify([heard, model.requests, stored, result])).not.toContain('secret-7');
    await expectSound(played);
  });

  test('M-120: one that takes too long does the same, and what it says later counts nothing', async () => {
    const policy = defineHooks({
      name: 'slow',
      options: { onKnowledgeQuery: { timeoutMs: 10 } },
      onKnowledgeQuery: async () => {
        await new Promise((resolve) => setTimeout(resolve, 30));
        return QueryDecision.modify('late');
      },
    });
    const { index, found, result } = await ask(mode, [policy]);
    await new Promise((resolve) => setTimeout(resolve, 40));
    expect(index.queries).toEqual([]);
    expect([found.output, result.status]).toEqual([NOT_SEARCHED, 'completed']);
  });

  test('M-123: no verdict is legal at the query: our rule, a failure like any other', async () => {
    for (const verdict of [
      { type: 'block', reason: 'no' },
      { type: 'retry-with-feedback', feedback: 'again' },
      'other words',
      { type: 'modify', query: 7 },
      { type: 'modify', query: 'x', callId: 'evil' },
    ]) {
      const policy = defineHooks({ name: 'p', onKnowledgeQuery: () => illegal(verdict) });
      const { index, found, result, model, heard } = await ask(mode, [policy]);
      expect([index.queries, found.output]).toEqual([[], NOT_SEARCHED]);
      expect([result.status, model.calls]).toEqual(['completed', 2]);
      expect(ofType(heard, 'hook.failed')).toMatchObject([{ kind: 'illegal' }]);
    }
  });

  test('M-123: where the point is set open the original query is searched for', async () => {
    const policy = defineHooks({
      name: 'p',
      options: { onKnowledgeQuery: { failure: 'open' } },
      onKnowledgeQuery: () => illegal({ type: 'block', reason: 'no' }),
    });
    const { index, found, result, model } = await ask(mode, [policy]);
    expect([index.queries, found.output]).toEqual([['42'], shown(...HANDBOOK)]);
    expect([result.status, model.calls]).toEqual(['completed', 2]);
  });
});

test('a rewrite of more than 2,000 characters is a failure, one of 2,000 is searched for', async () => {
  for (const [length, searched] of [
    [2_000, 1],
    [2_001, 0],
  ] as const) {
    const policy = defineHooks({
      name: 'long',
      onKnowledgeQuery: () => QueryDecision.modify('x'.repeat(length)),
    });
    const { index } = await ask('run', [policy], { index: new Library(() => []) });
    expect(index.queries).toHaveLength(searched);
  }
});
