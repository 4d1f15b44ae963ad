import {
  createAgent,
  type HookContext,
  Policy,
  scriptedModel,
  type ToolContext,
  ToolDecision,
  type ToolInvocation,
  tool,
} from 'agent-hooks';
import * as z from 'zod';

// Every field is optional or has a default, and holds plain JSON: that is what is stored with the thread.
const stateSchema = z.object({
  customer: z.string().optional(),
  verified: z.boolean().default(false),
  order: z.object({ id: z.string(), euros: z.number() }).nullable().default(null),
});
type State = z.infer<typeof stateSchema>;

const findOrder = tool({
  name: 'find_order',
  description: 'Looks an order up by its id',
  inputSchema: z.object({ id: z.string() }),
  sideEffects: 'none',
  execute: ({ id }, { state }: ToolContext<unknown, State>) =>
    state.set('order', { id, euros: 80 }),
});
const refund = tool({
  name: 'refund',
  description: 'Pays the order at hand back',
  inputSchema: z.object({}),
  tier: 'auto',
  execute: (_input, { state }: ToolContext<unknown, State>) =>
    `paid ${state.get('order')?.euros} €`,
});

/** Reads what the app and the tools know of the thread. The model cannot write it. */
class VerifiedOnly extends Policy<unknown, State> {
  override preToolUse(call: ToolInvocation, { state }: HookContext<unknown, State>) {
    if (!refund.matches(call) || state.verified) return undefined;
    return ToolDecision.block(`${state.customer ?? 'the customer'} is not verified yet`);
  }
}

const turn = [
  { toolCalls: [{ name: 'find_order', input: { id: 'A-1' } }, { name: 'refund' }] },
  'Done.',
];
const agent = createAgent({
  name: 'desk',
  model: scriptedModel([...turn, ...turn]),
  instructions: 'You help {{customer}}. The order at hand: {{order}}',
  stateSchema,
  tools: [findOrder, refund],
  hooks: [new VerifiedOnly()],
});
agent.on('state.changed', ({ fields }) => console.log('changed:', fields.join(', ')));

for (const state of [{ customer: 'Ann' }, { verified: true }]) {
  const result = await agent.run({ threadId: 'chat-1', message: 'My money back, please', state });
  console.log(JSON.stringify(result.messages.at(-2)?.content.at(-1)), result.state);
}
