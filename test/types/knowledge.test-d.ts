/** Compiled, never run: each `@ts-expect-error` is a mistake that must not compile. */
import {
  createAgent,
  defineHooks,
  type KnowledgeIndex,
  MessageDecision,
  Policy,
  QueryDecision,
  ResultsDecision,
  scriptedModel,
  TurnDecision,
} from 'agent-hooks';
import { ask, knowledgeQuery } from 'agent-hooks/testing';

class Legal extends Policy {
  override onKnowledgeQuery({ query }: { readonly query: string }) {
    return query === '' ? QueryDecision.proceed() : QueryDecision.modify('other');
  }

  override async onKnowledgeResults(results: { readonly passages: readonly unknown[] }) {
    return results.passages.length > 0 ? ResultsDecision.modify([]) : ResultsDecision.keep();
  }
}

class Refusing extends Policy {
  // @ts-expect-error a search cannot be blocked
  override onKnowledgeQuery() {
    return TurnDecision.block('no');
  }

  // @ts-expect-error a text is no list of passages
  override onKnowledgeResults() {
    return MessageDecision.modify('x');
  }
}

// @ts-expect-error a passage needs a source
ResultsDecision.modify([{ text: 'x', scope: 's' }]);

defineHooks({
  onKnowledgeResults: ({ passages }) => {
    // @ts-expect-error what a policy sees is read-only
    passages.pop();
  },
});

const answer = await ask(new Legal()).onKnowledgeQuery(knowledgeQuery('x'));
if (answer.type === 'decided') answer.value.query satisfies string;

// @ts-expect-error the point is not implemented
ask(new Legal()).preToolUse;

const late: KnowledgeIndex = { search: async () => [{ text: 'x', scope: 's', source: 'a' }] };
const model = scriptedModel([]);
createAgent({ name: 'a', model, knowledge: late, hooks: [new Legal()] });
void Refusing;
createAgent({ name: 'a', model, knowledge: { index: late, limit: 3, minScore: 0.1 } });

// @ts-expect-error an index gives passages
createAgent({ name: 'a', model, knowledge: { search: () => ['x'] } });

// @ts-expect-error options need an index
createAgent({ name: 'a', model, knowledge: { limit: 3 } });
