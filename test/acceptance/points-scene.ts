import {
  type AgentHooks,
  type AgentOptions,
  agentTool,
  createAgent,
  type HookPoint,
  type Message,
  type ModelRequest,
  memoryStore,
  type ScriptEntry,
  scriptedModel,
  type ThreadStore,
  ToolDecision,
  textOf,
  tool,
} from 'agent-hooks';
import * as z from 'zod';
import { HOOK_POINTS } from '../../src/hooks/points.ts';

/** Where a policy was asked. */
export interface Asked {
  readonly point: HookPoint;
  readonly threadId: string;
  readonly step: number;
  readonly purpose: string;
}

/** A policy at every point there is, closed. It has no opinion, and fails where it is told to. */
export function watchAll(
  note: (asked: Asked) => void,
  fails: (asked: Asked) => boolean = () => false,
): AgentHooks {
  const options = Object.fromEntries(
    HOOK_POINTS.filter((point) => point !== 'onEvent').map((point) => [point, CLOSED]),
  );
  const at = (point: HookPoint) => ({
    [point]: (...values: readonly unknown[]) => {
      const asked = { point, ...placeOf(point, values) };
      note(asked);
      if (fails(asked)) throw new Error('a fault');
      return passOn(point, values);
    },
  });
  // One object for all points, which no literal of the type can be.
  return Object.assign({ name: 'watch', options }, ...HOOK_POINTS.map(at)) as AgentHooks;
}

const CLOSED = { failure: 'closed' } as const;

type Next = (value: unknown) => unknown;

function passOn(point: HookPoint, [value, next]: readonly unknown[]): unknown {
  const isAround = point === 'wrapLlmCall' || point === 'wrapToolUse';
  return isAround ? (next as Next)(value) : undefined;
}

interface Place {
  readonly threadId: string;
  readonly step: number;
  readonly purpose?: string;
  readonly site?: string;
}

/** An event says itself what it is of; everything else is told with what comes last. */
function placeOf(point: HookPoint, values: readonly unknown[]): Omit<Asked, 'point'> {
  const place = (point === 'onEvent' ? values[0] : values.at(-1)) as Place;
  const { threadId, step, purpose, site } = place;
  return { threadId, step, purpose: purpose ?? site ?? 'main' };
}

const NONE = { inputTokens: 0, outputTokens: 0 };
const say = (text: string): ScriptEntry => ({ text, usage: NONE });
const call = (name: string, input: object = {}) => ({ name, input: { ...input } });

/** Everything that can be asked about, in one answer. */
const BATCH: ScriptEntry = {
  text: 'One moment.',
  toolCalls: [call('look'), call('broken'), call('search_knowledge', { query: 'number' })],
  usage: NONE,
};

const own = (name: string, execute: () => string) =>
  tool({
    name,
    description: `Does ${name}`,
    inputSchema: z.object({}),
    sideEffects: 'none',
    execute,
  });

/** What an agent has so that every point has something to be asked about. Its context is full after a batch. */
function equipment(writer: ScriptEntry): Omit<AgentOptions, 'name' | 'model' | 'hooks'> {
  const broken = own('broken', () => {
    throw new Error('broken');
  });
  return {
    instructions: 'You look things up.',
    tools: [own('look', () => 'seven'), broken],
    knowledge: { search: () => [{ text: 'nine', scope: 'docs', source: 'numbers.md' }] },
    compaction: {
      maxTokens: 45,
      keepTokens: 0,
      maxSummaryTokens: 5,
      model: scriptedModel([writer], { id: 'writer' }),
      countTokens: (messages) => messages.reduce((sum, message) => sum + tokensOf(message), 0),
    },
  };
}

function tokensOf(message: Message): number {
  return textOf(message).startsWith('[A summary') ? 1 : 10;
}

const askFirst: AgentHooks = {
  name: 'ask',
  preToolUse: ({ toolName }) =>
    toolName === 'look' ? ToolDecision.requiresConfirmation('May it?') : undefined,
};

export interface Setting {
  readonly hook: AgentHooks;
  /** What becomes of the call for a summary. */
  readonly writer: ScriptEntry;
  /** Whether a person is asked on the way. */
  readonly asks: boolean;
  readonly store: ThreadStore;
}

export type Build = (setting: Setting) => ReturnType<typeof createAgent>;

/** An agent whose second turn compacts the first one, which is there already. */
export const plainAgent: Build = ({ hook, writer, asks, store }) =>
  createAgent({
    ...equipment(writer),
    name: 'desk',
    model: scriptedModel(often(afterTool(BATCH, say('done')))),
    hooks: [hook, ...(asks ? [askFirst] : [])],
    store,
  });

/** An agent that delegates all of that: the policy is only the caller's. */
export const callingAgent: Build = ({ hook, writer, asks, store }) => {
  const twoBatches = ({ messages }: ModelRequest): ScriptEntry =>
    messages.filter(({ role }) => role === 'tool').length < 2 && !isSummed(messages)
      ? BATCH
      : say('done');
  const clerk = createAgent({
    ...equipment(writer),
    name: 'clerk',
    model: scriptedModel(often(twoBatches as ScriptEntry), { id: 'clerk-model' }),
    hooks: asks ? [askFirst] : [],
  });
  const delegate: ScriptEntry = { toolCalls: [call('clerk', { task: 'look' })], usage: NONE };
  return createAgent({
    name: 'desk',
    model: scriptedModel(often(afterTool(delegate, say('done')))),
    tools: [agentTool(clerk, { name: 'clerk', description: 'Looks' })],
    hooks: [hook],
    store,
  });
};

const isSummed = (messages: readonly Message[]): boolean =>
  messages.some((message) => textOf(message).startsWith('[A summary'));

function afterTool(before: ScriptEntry, after: ScriptEntry): ScriptEntry {
  const entry = ({ messages }: ModelRequest) => (messages.at(-1)?.role === 'tool' ? after : before);
  return entry as ScriptEntry; // Either is one.
}

function often(entry: ScriptEntry): readonly ScriptEntry[] {
  return Array.from({ length: 20 }, () => entry);
}

/** A store with a turn that a summary can take the place of. */
export async function storeWithTurn(): Promise<ThreadStore> {
  const store = memoryStore();
  const model = scriptedModel([say('Hello.')]);
  await createAgent({ name: 'desk', model, store }).run({ threadId: 't', message: 'Hi.' });
  return store;
}
