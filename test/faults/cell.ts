import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AgentEvent,
  type AgentHooks,
  createAgent,
  type Message,
  memoryStore,
  type RunResult,
  scriptedModel,
  textOf,
  tool,
} from 'agent-hooks';
import * as z from 'zod';
import { MODES, type Mode } from '../acceptance/modes.ts';
import type { Point } from './expected.ts';

export const FAULTS = [
  'throws',
  'rejects',
  'hangs',
  'answers late',
  'answers illegally',
  'changes its payload',
  'is cancelled',
] as const;
export type Fault = (typeof FAULTS)[number];
export type Setting = 'closed' | 'open';
export { MODES };

export interface Cell {
  readonly point: Point;
  readonly fault: Fault;
  readonly setting: Setting | undefined;
  readonly mode: Mode;
}

/** What became of a turn whose policy has a fault. */
export interface Seen {
  readonly status: RunResult['status'];
  readonly modelCalls: number;
  readonly toolRuns: number;
  /** The roles of what is stored, in order. */
  readonly stored: string;
  /** What the user was shown, in order. */
  readonly shown: readonly string[];
  /** How the model read the result of the tool, if it got that far. */
  readonly toolResult: unknown;
  readonly failures: readonly { readonly kind: string; readonly open: boolean }[];
  readonly late: number;
  /** How often the history was compacted. */
  readonly compacted: number;
}

/** Milliseconds that a policy under test may take. */
const LIMIT_MS = 20;
const LATE_MS = 60;

/** Full with the turn that was before, which is all that can go. */
const COMPACTION = {
  maxTokens: 25,
  keepTokens: 0,
  maxSummaryTokens: 5,
  model: scriptedModel(Array.from({ length: 1_000 }, () => 'Look.')),
  countTokens: (messages: readonly Message[]): number =>
    messages.reduce((sum, message) => sum + (textOf(message).startsWith('[A summary') ? 1 : 10), 0),
};

/** One turn: a tool, or the knowledge, is asked for with a text beside it, and the model answers. */
export async function runCell(cell: Cell): Promise<Seen> {
  const { point, fault, setting, mode } = cell;
  const controller = new AbortController();
  const store = memoryStore();
  const looksUp = point === 'onKnowledgeQuery' || point === 'onKnowledgeResults';
  const call = looksUp ? { name: 'search_knowledge', input: { query: 'seven' } } : { name: 'look' };
  const model = scriptedModel([{ text: 'Looking.', toolCalls: [call] }, 'All is well.']);
  let toolRuns = 0;
  const look = tool({
    name: 'look',
    description: 'Looks',
    inputSchema: z.object({}),
    sideEffects: 'none',
    execute: () => {
      toolRuns += 1;
      if (point === 'onError') throw new Error('broken');
      return 'seven';
    },
  });
  const knowledge = {
    search: () => {
      toolRuns += 1;
      return [{ text: 'seven', scope: 'docs', source: 'numbers.md' }];
    },
  };
  const policy = {
    name: 'faulty',
    options: {
      [point]: { timeoutMs: LIMIT_MS, ...(setting !== undefined && { failure: setting }) },
    },
    [point]: (...values: readonly unknown[]) => act(point, fault, { values, controller }),
  } as AgentHooks; // One policy for every point, which no literal of the type can be.
  const agent = createAgent({
    name: 'desk',
    instructions: 'You look.',
    model,
    tools: [look],
    ...(looksUp && { knowledge }),
    hooks: [policy],
    store,
    ...(point === 'onTextWindow' && { streaming: 'window' as const }),
    ...(point === 'onContextCompact' && { compaction: COMPACTION }),
  });
  const before = point === 'onContextCompact' ? await turnBefore(store) : 0;
  const heard: AgentEvent[] = [];
  agent.on('*', (event) => void heard.push(event));
  const input = { threadId: 't', message: 'Go.', signal: controller.signal };
  const result = await mode.turn(agent, input);
  if (fault === 'answers late') await sleep(LATE_MS);
  await agent.settled();
  return {
    status: result.status,
    ...(await traces(store, heard, before)),
    modelCalls: model.calls,
    toolRuns,
  };
}

function act(point: Point, fault: Fault, given: Given): unknown {
  if (point === 'wrapLlmCall' && fault !== 'throws' && fault !== 'answers illegally')
    return answerInParts(fault, given);
  if (point === 'systemPrompt' && fault === 'is cancelled') return given.controller.abort();
  return answer(fault, given);
}

function answer(fault: Fault, { values, controller }: Given): unknown {
  switch (fault) {
    case 'throws':
      throw new Error('a fault');
    case 'rejects':
      return Promise.reject(new Error('a fault'));
    case 'hangs':
      return new Promise(() => undefined);
    case 'answers late':
      return sleep(LATE_MS).then(() => Promise.reject(new Error('too late')));
    case 'answers illegally':
      return { type: 'banana' };
    case 'changes its payload':
      return Object.assign(Object(values[0]), { changed: true });
    case 'is cancelled':
      controller.abort();
      return new Promise(() => undefined);
  }
}

/** A policy around a model call answers with a stream, which is where it does what is wrong. */
async function* answerInParts(fault: Fault, given: Given): AsyncGenerator<unknown> {
  yield await answer(fault, given);
}

interface Given {
  readonly values: readonly unknown[];
  readonly controller: AbortController;
}

/** Something to compact. Says how many messages it is. */
async function turnBefore(store: ReturnType<typeof memoryStore>): Promise<number> {
  const model = scriptedModel(['Hello.']);
  await createAgent({ name: 'desk', model, store }).run({ threadId: 't', message: 'Hi.' });
  return 2;
}

async function traces(
  store: ReturnType<typeof memoryStore>,
  heard: readonly AgentEvent[],
  before: number,
): Promise<Omit<Seen, 'status' | 'modelCalls' | 'toolRuns'>> {
  const messages =
    (await store.load('t')) === undefined ? [] : await store.readMessages('t', { after: before });
  const failed = heard.flatMap((event) => (event.type === 'hook.failed' ? [event] : []));
  return {
    stored: messages.map(roleOf).join(' '),
    shown: heard.flatMap((event) =>
      event.type === 'message.outgoing' && event.discarded !== true ? [event.text] : [],
    ),
    toolResult: messages.flatMap((message) => (message.role === 'tool' ? message.content : []))[0]
      ?.output,
    failures: failed
      .filter((event) => event.late !== true)
      .map(({ kind, open }) => ({ kind, open })),
    late: failed.filter((event) => event.late === true).length,
    compacted: heard.filter(({ type }) => type === 'context.compacted').length,
  };
}

function roleOf(message: Message): string {
  return message.role === 'assistant' && textOf(message) !== '' ? 'assistant+text' : message.role;
}
