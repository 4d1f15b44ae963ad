import { describe, expect, test } from 'vitest';
import { defineHooks, type KnowledgePassage, ResultsDecision } from '../../src/index.ts';
import { ask, HANDBOOK, Library, NOT_SEARCHED, ofType, shown } from './library.ts';
import { illegal, MODES } from './play.ts';
import { placesOf } from './traces.ts';

const [first, second, third] = HANDBOOK as [KnowledgePassage, KnowledgePassage, KnowledgePassage];

describe.each(MODES)('what a search found, in %s', (mode) => {
  test('M-121: passages are filtered and put in another order before the model reads them', async () => {
    const policy = defineHooks({
      name: 'best-last',
      onKnowledgeResults: ({ passages }) =>
        ResultsDecision.modify(passages.filter(({ score = 0 }) => score >= 0.2).toReversed()),
    });
    const played = await ask(mode, [policy]);
    expect(played.found.output).toEqual(shown(second, first));
    expect(ofType(played.heard, 'knowledge.found')).toMatchObject([{ passages: 2 }]);
    expect(JSON.stringify(played.model.requests)).not.toContain(third.text);
    expect(await placesOf(third.text, played)).toEqual([]);
  });

  test('M-121: none at all is an answer', async () => {
    const policy = defineHooks({
      name: 'none',
      onKnowledgeResults: () => ResultsDecision.modify([]),
    });
    const { found, result, heard } = await ask(mode, [policy]);
    expect(found).toEqual({ outcome: 'succeeded', isError: false, output: { passages: [] } });
    expect(result.status).toBe('completed');
    expect(ofType(heard, 'knowledge.found')).toMatchObject([{ passages: 0 }]);
  });

  test('M-121: a policy sees the query that was searched for, and the passages of the one before', async () => {
    const seen: unknown[] = [];
    const drop = defineHooks({
      name: 'drop',
      onKnowledgeResults: ({ passages }) => ResultsDecision.modify(passages.slice(1)),
    });
    const note = defineHooks({
      name: 'note',
      onKnowledgeResults: (results) => void seen.push(results, Object.isFrozen(results.passages)),
    });
    await ask(mode, [drop, note]);
    expect(seen).toEqual([{ query: '42', passages: [second, third] }, true]);
  });

  test('M-122: a policy that fails leaves the passages as they were', async () => {
    const failing = [
      () => illegal({ type: 'modify', passages: 'x' }),
      () => illegal(['x']),
      () => {
        throw new Error('broken');
      },
      () => new Promise<undefined>(() => undefined),
    ];
    for (const onKnowledgeResults of failing) {
      const options = { onKnowledgeResults: { timeoutMs: 10 } };
      const policy = defineHooks({ name: 'p', options, onKnowledgeResults });
      const { found, result, heard } = await ask(mode, [policy]);
      expect([found.output, result.status]).toEqual([shown(...HANDBOOK), 'completed']);
      expect(ofType(heard, 'hook.failed')).toMatchObject([{ open: true, callId: '1.1.0' }]);
    }
  });

  test('M-122: where the point is set closed nothing of the passages is read', async () => {
    const policy = defineHooks({
      name: 'filter',
      options: { onKnowledgeResults: { failure: 'closed' } },
      onKnowledgeResults() {
        throw new Error('broken');
      },
    });
    const played = await ask(mode, [policy]);
    expect(played.found).toEqual({ outcome: 'failed', isError: true, output: NOT_SEARCHED });
    expect(played.result.status).toBe('completed');
    expect(ofType(played.heard, 'knowledge.found')).toEqual([]);
    for (const { text } of HANDBOOK) expect(await placesOf(text, played)).toEqual([]);
  });

  test('M-123: a verdict is no answer here: the original passages are kept, no further call is made', async () => {
    for (const verdict of [
      { type: 'block', reason: 'no' },
      { type: 'retry-with-feedback', feedback: 'again' },
      { type: 'proceed' },
    ]) {
      const policy = defineHooks({ name: 'p', onKnowledgeResults: () => illegal(verdict) });
      const { found, model, heard } = await ask(mode, [policy]);
      expect([found.output, model.calls]).toEqual([shown(...HANDBOOK), 2]);
      expect(ofType(heard, 'hook.failed')).toMatchObject([{ kind: 'illegal', open: true }]);
    }
  });

  test.each([
    ['no text', { scope: 's', source: 'x' }],
    ['no scope', { text: 't', source: 'x' }],
    ['no source', { text: 't', scope: 's' }],
    ['a score that is a text', { text: 't', scope: 's', source: 'x', score: 'high' }],
    ['a score that is no number', { text: 't', scope: 's', source: 'x', score: Number.NaN }],
    ['a key nobody knows', { text: 't', scope: 's', source: 'x', callId: 'evil' }],
  ])('M-125: a passage with %s is a failure, and the original list is kept', async (_what, bad) => {
    const policy = defineHooks({
      name: 'p',
      onKnowledgeResults: () => ResultsDecision.modify([first, illegal(bad)]),
    });
    const { found, heard } = await ask(mode, [policy]);
    expect(found.output).toEqual(shown(...HANDBOOK));
    expect(ofType(heard, 'hook.failed')).toMatchObject([{ kind: 'illegal' }]);
  });

  test('M-125: a passage without a score is one', async () => {
    const own = { text: 'Our own.', scope: 'policy', source: 'policy' };
    const policy = defineHooks({
      name: 'p',
      onKnowledgeResults: ({ passages }) => ResultsDecision.modify([own, ...passages]),
    });
    const { found } = await ask(mode, [policy]);
    expect(found.output).toEqual(shown(own, ...HANDBOOK));
  });
});

describe.each(MODES)('an index that fails, in %s', (mode) => {
  const asked: string[] = [];
  const watch = defineHooks({
    name: 'watch',
    onKnowledgeQuery: () => void asked.push('query'),
    onKnowledgeResults: () => void asked.push('results'),
  });

  test.each<[what: string, answer: () => unknown]>([
    [
      'throws',
      () => {
        throw new RangeError('password=hunter2');
      },
    ],
    ['rejects', () => Promise.reject(new RangeError('password=hunter2'))],
  ])(
    'M-124: one that %s is told of, the results are judged by nobody, the turn goes on',
    async (_what, answer) => {
      asked.length = 0;
      const played = await ask(mode, [watch], { index: new Library(answer) });
      expect(asked).toEqual(['query']);
      expect(played.found).toEqual({ outcome: 'failed', isError: true, output: NOT_SEARCHED });
      expect(played.result.status).toBe('completed');
      expect(ofType(played.heard, 'error.raised')).toMatchObject([
        { code: 'knowledge-failed', name: 'RangeError' },
      ]);
      expect(ofType(played.heard, 'tool.failed')).toMatchObject([{ outcome: 'failed' }]);
      expect(await placesOf('hunter2', played)).toEqual([]);
    },
  );

  test.each<[what: string, given: unknown]>([
    ['nothing', undefined],
    ['a text', 'bags'],
    ['a passage without text', [first, { scope: 's', source: 'x' }]],
    ['a passage that is nothing', [null]],
  ])('M-124: one that gives %s has failed too', async (_what, given) => {
    asked.length = 0;
    const { found, result } = await ask(mode, [watch], { index: new Library(() => given) });
    expect([asked, found.output, result.status]).toEqual([['query'], NOT_SEARCHED, 'completed']);
  });
});
