import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AgentOptions,
  createAgent,
  type Message,
  type ModelRequest,
  type ScriptEntry,
  scriptedModel,
  type Tool,
  type ToolOptions,
  tool,
  toolResultsOf,
} from 'agent-hooks';
import { expect } from 'vitest';
import * as z from 'zod';

/** Bodies that end when a test says so, and what was seen of them. */
export function bodies() {
  const open: { readonly name: string; readonly end: (fail?: Error) => void }[] = [];
  const seen = { now: 0, most: 0, began: [] as string[] };
  const body = (name: string) => async () => {
    seen.began.push(name);
    seen.now += 1;
    seen.most = Math.max(seen.most, seen.now);
    try {
      await new Promise<void>((resolve, reject) =>
        open.push({ name, end: (fail) => (fail === undefined ? resolve() : reject(fail)) }),
      );
    } finally {
      seen.now -= 1;
    }
    return { by: name };
  };
  const end = (name: string) => {
    const index = open.findIndex((one) => one.name === name);
    expect(index).not.toBe(-1);
    open.splice(index, 1)[0]?.end();
  };
  return { seen, body, end, next: (fail?: Error) => open.shift()?.end(fail) };
}

type Messages = { readonly messages: readonly Message[] };
export type Held = ReturnType<typeof bodies>;
export type More = Partial<
  Omit<ToolOptions<z.ZodObject, z.ZodObject, unknown, object>, 'execute'>
> & {
  readonly execute?: () => object;
};

export function heldTool(held: Held, name: string, more: More = {}): Tool {
  const options = { name, inputSchema: z.object({}), sideEffects: 'none', tier: 'auto', ...more };
  return tool({ execute: held.body(name), ...options } as never) as Tool;
}

export const turn = () => sleep(10);
export const calling =
  (...names: readonly string[]): ScriptEntry =>
  ({ messages }: ModelRequest) =>
    messages.at(-1)?.role === 'tool'
      ? 'done'
      : { toolCalls: names.map((name) => ({ name, input: {} })) };

export function agentOf(name: string, tools: readonly Tool[], more: Partial<AgentOptions> = {}) {
  const script = Array.from({ length: 40 }, () => calling(...tools.map((one) => one.name)));
  return createAgent({ name, model: scriptedModel(script), tools, ...more });
}

export const outcomes = (result: Messages) =>
  result.messages.flatMap(toolResultsOf).map(({ outcome }) => outcome);
