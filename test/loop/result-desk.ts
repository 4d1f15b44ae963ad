import {
  type AgentEvent,
  type AgentHooks,
  type AgentOptions,
  createAgent,
  memoryStore,
  type ScriptEntry,
  scriptedModel,
  type ThreadStore,
  tool,
} from 'agent-hooks';
import * as z from 'zod';

const orderSchema = z.object({
  order_id: z.string(),
  status: z.enum(['held', 'future_day', 'shipped']).default('held'),
  total: z.object({ amount: z.number() }).nullable().default(null),
});

export const resultState = z.object({
  order_number: z.string().optional(),
  order: orderSchema.nullable().default(null),
  amount: z.number().max(100).optional(),
  vip: z.boolean().default(false),
  name: z.string().optional(),
});
export type ResultState = z.infer<typeof resultState>;

export const order = { order_id: 'A-1', status: 'held', total: { amount: 20 } };

/** A tool that gives an order, and does with it what the options say. */
export function orderTool(more: object = {}, result: unknown = order) {
  return tool({
    name: 'find_order',
    description: 'Finds an order',
    inputSchema: z.object({}),
    outputSchema: orderSchema,
    sideEffects: 'none',
    execute: () => (typeof result === 'function' ? result() : result),
    ...more,
  });
}

/** A tool that ends the conversation, unless it fails. */
export function hangUpTool(more: object = {}) {
  return tool({
    name: 'hang_up',
    description: 'Ends the conversation',
    inputSchema: z.object({}),
    tier: 'auto',
    endsConversation: true,
    execute: () => ({ ok: true }),
    ...more,
  });
}

export const calls = (...names: readonly string[]) => ({
  toolCalls: names.map((name) => ({ name, input: {} })),
});
export const saying = (text: string, ...names: readonly string[]) => ({ text, ...calls(...names) });

/** An agent on one thread, with all that is heard and asked of the model. */
export function resultDesk(scene: {
  readonly script: readonly ScriptEntry[];
  readonly tools?: AgentOptions<unknown, ResultState>['tools'];
  readonly hooks?: readonly AgentHooks<unknown, ResultState>[];
  readonly store?: ThreadStore;
  readonly more?: Partial<AgentOptions<unknown, ResultState>>;
}) {
  const { script, tools = [orderTool()], hooks = [], store = memoryStore(), more } = scene;
  const model = scriptedModel(script);
  const agent = createAgent({
    name: 'desk',
    model,
    tools,
    hooks,
    store,
    stateSchema: resultState,
    ...more,
  });
  const heard: AgentEvent[] = [];
  agent.on('*', (event) => heard.push(event));
  const run = (message = 'go') => agent.run({ threadId: 't', message });
  const types = () => heard.map(({ type }) => type);
  return { agent, model, store, heard, types, run };
}
