import {
  type AgentEvent,
  type AgentHooks,
  type AgentOptions,
  createAgent,
  memoryStore,
  type ScriptEntry,
  type SpokenLine,
  scriptedModel,
  type ThreadStore,
  tool,
} from 'agent-hooks';
import * as z from 'zod';

const announceState = z.object({
  day: z.string().optional(),
  brand: z.object({ name: z.string() }).optional(),
});
export type AnnounceState = z.infer<typeof announceState>;

/** A tool that looks something up, and tells `log` when it does. */
export function lookTool(log: string[], more: object = {}) {
  return tool({
    name: 'look',
    description: 'Looks something up',
    inputSchema: z.object({ day: z.string().optional() }),
    sideEffects: 'none',
    announce: 'Checking.',
    execute: () => {
      log.push('ran');
      return 'looked';
    },
    ...more,
  });
}

export const look = (...inputs: readonly object[]) => ({
  toolCalls: inputs.map((input) => ({ name: 'look', input: { ...input } })),
});

/** An agent on one thread, and what its user hears in the order of things. */
export function announceDesk(
  scene: {
    readonly tool?: object;
    readonly script?: readonly ScriptEntry[];
    readonly hooks?: readonly AgentHooks<unknown, AnnounceState>[];
    readonly store?: ThreadStore;
    readonly onLine?: ((line: SpokenLine) => unknown) | undefined;
    readonly more?: Partial<AgentOptions<unknown, AnnounceState>>;
  } = {},
) {
  const { script = [look({}), 'Done.'], hooks = [], store = memoryStore(), onLine } = scene;
  const log: string[] = [];
  const lines: SpokenLine[] = [];
  const tools = [lookTool(log, scene.tool)];
  const model = scriptedModel(script);
  const agent = createAgent({
    name: 'desk',
    model,
    tools,
    hooks,
    store,
    stateSchema: announceState,
    onLine: (line) => {
      lines.push(line);
      log.push(line.text);
      return onLine?.(line);
    },
    ...scene.more,
  });
  const heard: AgentEvent[] = [];
  agent.on('*', (event) => heard.push(event));
  const run = (input: object = {}) => agent.run({ threadId: 't', message: 'go', ...input });
  const types = () => heard.map(({ type }) => type);
  const about = (prefix: string) => types().filter((type) => type.startsWith(prefix));
  return { agent, model, store, log, lines, heard, run, types, about };
}
