import {
  type AgentHooks,
  type AgentOptions,
  createAgent,
  type HostCall,
  hostTool,
  memoryStore,
  type RunResult,
  type ScriptEntry,
  scriptedModel,
  type ThreadStore,
  tool,
} from 'agent-hooks';
import * as z from 'zod';

/** A shop whose `scan` and `print` are run by the host, and whose `read` by the engine. `print` must not run twice. */
export function shop(options: {
  readonly script: readonly ScriptEntry[];
  readonly hooks?: readonly AgentHooks[];
  readonly store?: ThreadStore;
  readonly more?: Partial<AgentOptions>;
}) {
  const log: string[] = [];
  const scan = hostTool({
    name: 'scan',
    description: 'Scans a code',
    inputSchema: z.object({ shelf: z.number() }),
    outputSchema: z.object({ code: z.string(), count: z.number().default(1) }),
    sideEffects: 'none',
  });
  const print = hostTool({
    name: 'print',
    description: 'Prints a label',
    inputSchema: z.object({ label: z.string() }),
    tier: 'auto',
  });
  const read = tool({
    name: 'read',
    description: 'Reads the stock',
    inputSchema: z.object({}),
    sideEffects: 'none',
    execute: () => {
      log.push('read');
      return { stock: 7 };
    },
  });
  const pay = tool({
    name: 'pay',
    description: 'Pays',
    inputSchema: z.object({}),
    tier: 'auto',
    execute: () => {
      log.push('pay');
      return { paid: true };
    },
  });
  const model = scriptedModel(options.script);
  const store = options.store ?? memoryStore();
  const agent = createAgent({
    name: 'shop',
    model,
    tools: [scan, print, read, pay],
    hooks: options.hooks ?? [],
    store,
    ...options.more,
  });
  return { agent, model, store, log };
}

export const callScan = (shelf = 1) => ({ name: 'scan', input: { shelf } });
export const callPrint = { name: 'print', input: { label: 'A' } };
export const callRead = { name: 'read', input: {} };
export const callPay = { name: 'pay', input: {} };

/** The calls a run waits for; fails the test where it waits for none. */
export function waitingCalls(result: RunResult): readonly HostCall[] {
  if (result.status !== 'awaiting-tools') throw new Error(`it is ${result.status}`);
  return result.calls;
}

/** What the model is shown of each call of the last batch, in order. */
export function lastResults(result: RunResult) {
  const message = result.messages.findLast(({ role }) => role === 'tool');
  return message?.role === 'tool' ? message.content : [];
}
