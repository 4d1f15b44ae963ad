import {
  type AgentEvent,
  type AgentHooks,
  type AgentOptions,
  createAgent,
  type JsonValue,
  memoryStore,
  type ScriptEntry,
  scriptedModel,
  type ThreadStore,
  type ToolPort,
  tool,
  toolResultsOf,
} from 'agent-hooks';
import * as z from 'zod';

/** What no event, error, message, approval or digest may hold. */
export const SECRET = 'cus-secret-7';

export const lockState = z.object({
  customer: z
    .object({ id: z.string(), tags: z.array(z.string()).default([]) })
    .nullable()
    .default(null),
  day: z.string().describe('the visit day').optional(),
  name: z.string().optional(),
  count: z.number().optional(),
  raw: (z.unknown() as z.ZodType<JsonValue>).optional(),
});
export type LockState = z.infer<typeof lockState>;
export const customer = { id: SECRET, tags: ['gold'] };

/** A tool that is given a customer by the engine, with a note of every input it ran with. */
export function lookupTool(more: object = {}) {
  const ran: JsonValue[] = [];
  const lookup = tool({
    name: 'lookup',
    description: 'Looks orders of the customer up',
    inputSchema: z.object({ customer_id: z.string(), order: z.string().optional() }),
    sideEffects: 'none',
    locked: { customer_id: '{{customer.id}}' },
    execute: (input) => {
      ran.push(input as JsonValue);
      return { found: 1 };
    },
    ...(more as { readonly tier?: 'auto' | 'confirm' }),
  });
  return { lookup, ran };
}

export const lookup = (input: JsonValue = {}) => ({ toolCalls: [{ name: 'lookup', input }] });

/** An agent on one thread that knows its customer, with all that is heard, asked and stored. */
export function lockDesk(scene: {
  readonly script: readonly ScriptEntry[];
  readonly tools: readonly ToolPort<never>[];
  readonly hooks?: readonly AgentHooks<unknown, LockState>[];
  readonly store?: ThreadStore;
  readonly more?: Partial<AgentOptions<unknown, LockState>>;
}) {
  const { script, tools, hooks = [], store = memoryStore(), more } = scene;
  const model = scriptedModel(script);
  const agent = createAgent({
    name: 'desk',
    model,
    tools,
    hooks,
    store,
    stateSchema: lockState,
    ...more,
  } as AgentOptions<unknown, LockState>);
  const heard: AgentEvent[] = [];
  agent.on('*', (event) => heard.push(event));
  const run = (state: Partial<LockState> | undefined = { customer }, about: object = {}) =>
    agent.run({ threadId: 't', message: 'go', ...(state && { state }), ...about });
  const types = () => heard.map(({ type }) => type);
  /** What the model reads of the latest calls. */
  const outputs = () =>
    (model.requests.at(-1)?.messages ?? []).flatMap(toolResultsOf).map(({ output }) => output);
  return { agent, model, store, heard, types, run, outputs };
}

/** Everything a store holds of the thread, but the values of its state. */
export async function storedText(store: ThreadStore): Promise<string> {
  const thread = await store.load('t');
  const { values: _values, ...state } = { values: undefined, ...thread?.state };
  const all = [
    state,
    thread?.memory,
    await store.readMessages('t'),
    await store.readEvents('t'),
    await store.pendingApprovals({ threadId: 't' }),
  ];
  return JSON.stringify(all);
}
