import {
  type AgentEvent,
  type AgentHooks,
  type AgentOptions,
  createAgent,
  type JsonValue,
  type ModelRequest,
  memoryStore,
  type ScriptEntry,
  type SideEffects,
  scriptedModel,
  type ThreadStore,
  type ToolContext,
  tool,
} from 'agent-hooks';
import * as z from 'zod';

const stateSchema = z.object({
  day: z.string().optional(),
  visits: z.number().int().default(0),
  customer: z.object({ name: z.string(), vip: z.boolean() }).nullable().default(null),
});
export type State = z.infer<typeof stateSchema>;
export type StateCtx = ToolContext<unknown, State>;

/** A tool that does this to the state of the thread. */
export function stateTool(
  name: string,
  execute: (ctx: StateCtx, input: { readonly value?: unknown }) => unknown,
  options: {
    readonly sideEffects?: SideEffects;
    readonly parallel?: boolean;
    readonly timeoutMs?: number;
  } = {},
) {
  return tool({
    name,
    description: `Does ${name}`,
    inputSchema: z.object({ value: z.unknown().optional() }),
    tier: 'auto',
    sideEffects: 'idempotent',
    ...options,
    execute: (input, ctx: StateCtx) => execute(ctx, input),
  });
}

const call = (name: string, value?: JsonValue) => ({
  name,
  input: value === undefined ? {} : { value },
});

/** Answers by what it reads, as a model does: calls first, then the end of the turn. */
export const calling =
  (...names: readonly string[]) =>
  (request: ModelRequest) =>
    request.messages.at(-1)?.role === 'tool'
      ? 'done'
      : { toolCalls: names.map((name) => call(name)) };

/** An agent whose threads have a state, with all that anybody hears. */
export function stateDesk(scene: {
  readonly script: readonly ScriptEntry[];
  readonly tools?: readonly ReturnType<typeof stateTool>[];
  readonly hooks?: readonly AgentHooks<unknown, State>[];
  readonly store?: ThreadStore;
  readonly more?: Partial<AgentOptions<unknown, State>>;
}) {
  const { script, tools = [], hooks = [], store = memoryStore(), more } = scene;
  const model = scriptedModel(script);
  const agent = createAgent({ name: 'desk', model, tools, hooks, store, stateSchema, ...more });
  const heard: AgentEvent[] = [];
  agent.on('*', (event) => heard.push(event));
  return { agent, model, store, heard };
}

/** The fields each `state.changed` tells of. */
export function changes(events: readonly AgentEvent[]): readonly (readonly string[])[] {
  return events.flatMap((event) => (event.type === 'state.changed' ? [event.fields] : []));
}
