import {
  type AgentHooks,
  type AgentOptions,
  createAgent,
  memoryStore,
  type ScriptEntry,
  type ScriptedModel,
  scriptedModel,
  type ThreadStore,
  tool,
} from 'agent-hooks';
import * as z from 'zod';

/** What every answer here has to be. */
export const Invoice = z.object({ total: z.number(), currency: z.enum(['EUR', 'USD']) });
export const GOOD = { total: 12.5, currency: 'EUR' } as const;
/** The `total` is a secret that no engine text may quote. */
export const BAD = { total: 'sk-canary-4711', currency: 'EUR' } as const;

/** How a model gives its answer: as text by a schema, or as a call of the added tool. */
export const WAYS = ['native', 'by call'] as const;
export type Way = (typeof WAYS)[number];

/** The answer of a model, whatever it holds. */
export function answer(way: Way, value: unknown): ScriptEntry {
  if (way === 'native') return JSON.stringify(value);
  return { toolCalls: [{ name: 'final_answer', input: value }] };
}

export const callLook = { name: 'look', input: {} };

/** An agent with one harmless tool, on a model that answers the given way. */
export function answering(options: {
  readonly way: Way;
  readonly script: readonly ScriptEntry[];
  readonly hooks?: readonly AgentHooks[];
  readonly store?: ThreadStore;
  readonly more?: Partial<AgentOptions>;
}) {
  const { way, script, hooks = [], store = memoryStore(), more } = options;
  const capabilities = { outputSchema: way === 'native' };
  const model: ScriptedModel = scriptedModel(script, { capabilities, strict: true });
  const looks: string[] = [];
  const look = tool({
    name: 'look',
    description: 'Looks',
    inputSchema: z.object({}),
    sideEffects: 'none',
    execute: () => {
      looks.push('look');
      return 'seen';
    },
  });
  const agent = createAgent({ name: 'clerk', model, tools: [look], hooks, store, ...more });
  return { agent, model, store, looks };
}

export const go = { threadId: 't', message: 'What is the total?', output: Invoice } as const;
