import * as z from 'zod';
import {
  type Agent,
  type AgentEvent,
  type AgentOptions,
  createAgent,
  memoryStore,
  type RunInput,
  type RunResult,
  type ThreadStore,
  type Tool,
  type ToolContext,
  tool,
} from '../../src/index.ts';
import { sqliteStore } from '../../src/stores/sqlite.ts';
import { tempFiles } from '../stores/temp-files.ts';

/** Every way a turn can be run; a policy has to hold in each of them. */
export const MODES = ['run', 'stream held', 'stream live', 'runStep'] as const;
export type Mode = (typeof MODES)[number];

/** What came of playing a message: the answer, and everything anybody could hear. */
export interface Played {
  readonly agent: Agent;
  readonly store: ThreadStore;
  readonly result: RunResult;
  /** What an observer of everything heard. */
  readonly heard: readonly AgentEvent[];
  /** What the reader of the stream got; the same as `heard` without a stream. */
  readonly streamed: readonly AgentEvent[];
}

export type Scene = Omit<AgentOptions, 'name'>;

/** Builds an agent for one mode. */
export function agentFor(mode: Mode, scene: Scene): Agent {
  const streaming = mode === 'stream live' ? 'live' : mode === 'stream held' ? 'hold' : undefined;
  return createAgent({ name: 'clerk', ...scene, ...(streaming !== undefined && { streaming }) });
}

/** Plays one message to where the run stops, in a new thread called `t` unless the input says otherwise. */
export async function play(
  mode: Mode,
  scene: Scene,
  input: Partial<RunInput<unknown>> = {},
): Promise<Played> {
  const store = scene.store ?? memoryStore();
  const agent = agentFor(mode, { ...scene, store });
  const heard: AgentEvent[] = [];
  agent.on('*', (event) => heard.push(event));
  const full = { threadId: 't', message: 'hello', ...input };
  if (mode === 'run') {
    return { agent, store, result: await agent.run(full), heard, streamed: heard };
  }
  if (mode === 'runStep') {
    return { agent, store, result: await runSteps(agent, full), heard, streamed: heard };
  }
  const stream = agent.stream(full);
  const streamed: AgentEvent[] = [];
  for await (const event of stream) streamed.push(event);
  return { agent, store, result: await stream.result, heard, streamed };
}

async function runSteps(
  agent: Agent,
  input: RunInput<unknown> & { threadId: string },
): Promise<RunResult> {
  let result = await agent.runStep(input);
  const { message: _begun, supersede: _too, ...rest } = input;
  while (result.status === 'continues') result = await agent.runStep(rest);
  return result;
}

/** A tool that counts how often it ran, and with what. */
export interface Counted {
  readonly tool: Tool<{ readonly [key: string]: string }>;
  readonly inputs: unknown[];
}

export function counted(
  name: string,
  options: {
    readonly tier?: 'auto' | 'confirm';
    readonly sideEffects?: 'none' | 'idempotent' | 'once';
    readonly parallel?: boolean;
    readonly timeoutMs?: number;
    readonly execute?: (ctx: ToolContext) => unknown;
  } = {},
): Counted {
  const { execute, tier = 'auto', ...rest } = options;
  const inputs: unknown[] = [];
  const made = tool({
    name,
    description: `Does ${name}`,
    inputSchema: z.object({ id: z.string().optional() }),
    tier,
    ...rest,
    execute: (input, ctx: ToolContext) => {
      inputs.push(input);
      return execute === undefined ? `${name} done` : execute(ctx);
    },
  });
  // The tests only ever look at the wire form of its input.
  return { tool: made as Counted['tool'], inputs };
}

/** Each kind of store, made anew for every test that asks. The files are gone when the test file ends. */
export function stores(): readonly (readonly [name: string, open: () => ThreadStore])[] {
  const newPath = tempFiles();
  return [
    ['memory', () => memoryStore()],
    ['sqlite', () => sqliteStore({ path: newPath() })],
  ];
}

/** An answer that no type allows, as a policy written without types may give it. */
export function illegal(value: unknown): never {
  // The types exist to refuse exactly this.
  return value as never;
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Narrows a result, and says what it was when it is another. */
export function expectStatus<Status extends RunResult['status']>(
  result: RunResult,
  status: Status,
): Extract<RunResult, { readonly status: Status }> {
  if (result.status !== status) {
    const why = result.status === 'failed' ? `: ${result.error.message}` : '';
    throw new Error(`expected a result '${status}' and got '${result.status}'${why}`);
  }
  // The status decides the variant.
  return result as Extract<RunResult, { readonly status: Status }>;
}
