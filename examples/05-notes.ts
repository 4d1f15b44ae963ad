import { budgetNote, createAgent, type Note, scriptedModel, tool, toolHints } from 'agent-hooks';
import * as z from 'zod';

const search = tool({
  name: 'search',
  description: 'Searches the handbook',
  inputSchema: z.object({ words: z.string() }),
  sideEffects: 'none',
  execute: ({ words }) => [{ page: 12, text: `All about ${words}` }],
});

const openingHours: Note = {
  name: 'opening-hours',
  text: ({ step }) => (step === 1 ? 'The office is closed today.' : undefined),
};

const look = (words: string) => ({ toolCalls: [{ name: 'search', input: { words } }] });
const model = scriptedModel([look('refunds'), look('deadlines'), 'Within 14 days (page 12).']);
const agent = createAgent({
  name: 'desk',
  model,
  tools: [search],
  limits: { steps: 3 },
  notes: [openingHours, toolHints({ search: 'Name the page you quote.' }), budgetNote()],
});
const result = await agent.run({ message: 'How long can I send things back?' });

// A note is in the request of one call, and in nothing that is kept.
for (const [index, { messages }] of model.requests.entries())
  console.log(`call ${index + 1}:`, JSON.stringify(messages.at(-1)?.content));
console.log(result.status, result.messages.length, 'messages kept');
