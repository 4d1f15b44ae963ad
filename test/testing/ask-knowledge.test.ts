import { describe, expect, test } from 'vitest';
import { createAgent } from '../../src/agent/create-agent.ts';
import { QueryDecision, ResultsDecision } from '../../src/decisions/knowledge-decision.ts';
import type { HookContext } from '../../src/hooks/context.ts';
import { defineHooks, Policy } from '../../src/hooks/policy.ts';
import type { KnowledgeQuery, KnowledgeResults } from '../../src/protocol/texts.ts';
import {
  ask,
  assertAnswer,
  knowledgeQuery,
  knowledgeResults,
  scriptedModel,
} from '../../src/testing/index.ts';
import '../../src/testing/vitest.ts';

class OwnTenant extends Policy<{ readonly tenant: string }> {
  override onKnowledgeQuery({ query }: KnowledgeQuery) {
    return query.startsWith('ticket') ? undefined : QueryDecision.modify(`ticket ${query}`);
  }

  override onKnowledgeResults(
    { passages }: KnowledgeResults,
    { context }: HookContext<{ readonly tenant: string }>,
  ) {
    return ResultsDecision.modify(passages.filter(({ scope }) => scope === context.tenant));
  }
}

const context = { tenant: 'acme' };
const mine = { text: 'ours', scope: 'acme', source: 'a.md' };
const theirs = { text: 'theirs', scope: 'other', source: 'b.md' };

describe('ask — a search', () => {
  test('the query as the policy leaves it', async () => {
    const answer = await ask(new OwnTenant()).onKnowledgeQuery(knowledgeQuery('42'));
    expect(answer).toMatchObject({ type: 'decided', value: { query: 'ticket 42' } });
    expect(answer).toModify('ticket 42');
    assertAnswer(answer, 'modify', 'ticket 42');
  });

  test('no opinion about a query', async () => {
    const answer = await ask(new OwnTenant()).onKnowledgeQuery(knowledgeQuery('ticket 42'));
    expect(answer).toAbstain();
    expect(answer).toMatchObject({ value: { query: 'ticket 42' } });
  });

  test('the passages as the policy leaves them', async () => {
    const results = knowledgeResults('42', [mine, theirs]);
    const answer = await ask(new OwnTenant()).onKnowledgeResults(results, { context });
    expect(answer).toModify([mine]);
    expect(answer).toMatchObject({ value: { query: '42', passages: [mine] } });
  });

  test('keep and proceed are said aloud', async () => {
    const policy = defineHooks({
      onKnowledgeQuery: () => QueryDecision.proceed(),
      onKnowledgeResults: () => ResultsDecision.keep(),
    });
    expect(await ask(policy).onKnowledgeQuery(knowledgeQuery('42'))).toProceed();
    expect(await ask(policy).onKnowledgeResults(knowledgeResults('42', ['a']))).toKeep();
  });

  test('a passage that is none is a failure, open at one point and closed at the other', async () => {
    const policy = defineHooks({
      onKnowledgeQuery: () => QueryDecision.modify('x'.repeat(2_001)),
      onKnowledgeResults: () => ResultsDecision.modify([{ text: 'a' } as never]),
    });
    const query = await ask(policy).onKnowledgeQuery(knowledgeQuery('42'));
    expect(query).toFail('invalid-rewrite');
    expect(query).toMatchObject({ failure: 'closed' });
    const results = await ask(policy).onKnowledgeResults(knowledgeResults('42', ['a']));
    expect(results).toFail('illegal');
    expect(results).toMatchObject({ failure: 'open' });
  });

  test('texts become passages of this kit, frozen', () => {
    const { passages } = knowledgeResults('42', ['a', 'b']);
    expect(passages).toEqual([
      { text: 'a', scope: 'docs', source: 'passage-1' },
      { text: 'b', scope: 'docs', source: 'passage-2' },
    ]);
    expect(Object.isFrozen(passages[0])).toBe(true);
  });

  test('what this kit makes is what an agent asks about', async () => {
    const seen: unknown[] = [];
    const spy = defineHooks({
      name: 'spy',
      onKnowledgeQuery: (query) => void seen.push(query),
      onKnowledgeResults: (results) => void seen.push(results),
    });
    const agent = createAgent({
      name: 'clerk',
      model: scriptedModel([
        { toolCalls: [{ name: 'search_knowledge', input: { query: '42' } }] },
        'ok',
      ]),
      knowledge: { search: () => [{ ...mine, vector: [1] }] },
      hooks: [spy],
    });
    await agent.run({ message: 'hi' });
    expect(seen).toStrictEqual([knowledgeQuery('42'), knowledgeResults('42', [mine])]);
  });
});
