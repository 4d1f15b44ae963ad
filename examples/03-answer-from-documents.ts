import {
  createAgent,
  type HookContext,
  type KnowledgeQuery,
  type KnowledgeResults,
  type ModelRequest,
  Policy,
  QueryDecision,
  ResultsDecision,
  scriptedModel,
  toolResultsOf,
} from 'agent-hooks';
import { memoryIndex } from 'agent-hooks/knowledge/memory';

const documents = [
  {
    source: 'refunds.md',
    scope: 'public',
    text: `A ticket is refunded in full within 24 hours of the booking.

After that, a refund costs 40 euros.`,
  },
  {
    source: 'desk-manual.md',
    scope: 'staff',
    text: `A refund after 24 hours is free for a passenger who complains twice.`,
  },
];

// A paragraph is a good size for a passage.
const index = memoryIndex(
  documents.flatMap(({ text, ...about }) =>
    text.split('\n\n').map((paragraph) => ({ text: paragraph, ...about })),
  ),
);

interface Reader {
  readonly role: 'customer' | 'clerk';
}

class NoCardNumbers extends Policy {
  override onKnowledgeQuery({ query }: KnowledgeQuery) {
    return QueryDecision.modify(query.replaceAll(/\b\d{16}\b/g, ''));
  }
}

class OwnScopeOnly extends Policy<Reader> {
  // A filter that fails must not let everything through.
  override readonly options = { onKnowledgeResults: { failure: 'closed' } } as const;

  override onKnowledgeResults({ passages }: KnowledgeResults, { context }: HookContext<Reader>) {
    if (context.role === 'clerk') return ResultsDecision.keep();
    return ResultsDecision.modify(passages.filter(({ scope }) => scope === 'public'));
  }
}

/** What a model does with passages, without a model: it reads them out. */
function readOut({ messages }: ModelRequest): string {
  const [result] = messages.flatMap(toolResultsOf);
  return `This is what I read: ${JSON.stringify(result?.output)}`;
}

const search = {
  name: 'search_knowledge',
  input: { query: 'refund after 24 hours, card 4929000000000000' },
};

for (const role of ['customer', 'clerk'] as const) {
  const agent = createAgent<Reader>({
    name: 'desk',
    instructions: 'Answer from the knowledge base only.',
    model: scriptedModel([{ toolCalls: [search] }, readOut]),
    knowledge: { index, limit: 3, description: 'Searches the handbook of the airline.' },
    hooks: [new NoCardNumbers(), new OwnScopeOnly()],
  });
  agent.on('knowledge.queried', ({ query }) => console.log(`${role} searches for: ${query}`));
  const result = await agent.run({ message: 'What does a refund cost?', context: { role } });
  console.log(result.status === 'completed' ? result.text : result.status);
}
