import { setImmediate } from 'node:timers/promises';
import {
  type AgentHooks,
  type AssistantPart,
  type ChatModel,
  createAgent,
  defineHooks,
  type Message,
  type ModelResponse,
  type ModelToolCall,
  RequestDecision,
  ResponseDecision,
  type ScriptEntry,
  scriptedModel,
  type ThreadStore,
  ToolDecision,
  type ToolPort,
  type ToolResultPart,
  textOf,
  tool,
} from 'agent-hooks';
import * as z from 'zod';

/** The same work for every loop: `steps` model calls, each asking for one small tool, the last one answering. */
const QUESTION = 'What is the weather?';

/** The model both loops call: the shipped one that answers from a script. */
function weatherModel(steps: number): ChatModel {
  const call: ScriptEntry = { toolCalls: [{ name: 'weather', inputText: '{"city":"Lisbon"}' }] };
  return scriptedModel([...Array.from({ length: steps - 1 }, () => call), 'It is warm.']);
}

async function lookUp(input: { readonly city: string }): Promise<{ readonly degrees: number }> {
  return { degrees: input.city.length };
}

const CARD = /\b(?:\d[ -]?){13,19}\b/;
const ALLOWED = new Set(['weather', 'forecast']);

/**
 * How the three guards answer. `same-tick`: asynchronous functions that have nothing to wait for. `event-loop`:
 * they go through the event loop once, as every guard does that asks a service or a database.
 */
export type GuardKind = 'none' | 'same-tick' | 'event-loop';

/** The three guards, as plain functions: one each before the call, after it, and before the tool. */
interface Guards {
  readonly request: (request: { readonly messages: readonly Message[] }) => Promise<boolean>;
  readonly response: (text: string) => Promise<boolean>;
  readonly tool: (toolName: string) => Promise<boolean>;
}

const sameTick: Guards = {
  request: async ({ messages }) => {
    const last = messages.at(-1);
    return last?.role !== 'user' || !textOf(last).includes('ignore all previous instructions');
  },
  response: async (text) => !CARD.test(text),
  tool: async (toolName) => ALLOWED.has(toolName),
};

const throughTheLoop: Guards = {
  request: async (request) => (await setImmediate(true)) && sameTick.request(request),
  response: async (text) => (await setImmediate(true)) && sameTick.response(text),
  tool: async (toolName) => (await setImmediate(true)) && sameTick.tool(toolName),
};

function guardsOf(kind: GuardKind): Guards | undefined {
  if (kind === 'none') return undefined;
  return kind === 'same-tick' ? sameTick : throughTheLoop;
}

const weatherInput = z.object({ city: z.string() });
const SYSTEM = 'You tell the weather.';

/**
 * The loop a team would write by hand: a request built per call, arguments parsed and checked, a failing tool
 * answered as an error, tokens and steps counted, an abort heard, and the same three guards awaited. No
 * store, no events, no approvals.
 */
export async function runBare(
  steps: number,
  history: readonly Message[],
  kind: GuardKind,
): Promise<number> {
  const guards = guardsOf(kind);
  const messages: Message[] = [
    ...history,
    { role: 'user', content: [{ type: 'text', text: QUESTION }] },
  ];
  const model = weatherModel(steps);
  const { signal } = new AbortController();
  let tokens = 0;
  for (let step = 1; step <= steps + 1; step += 1) {
    signal.throwIfAborted();
    const request = {
      messages: [{ role: 'system', content: SYSTEM } as const, ...messages],
      settings: {},
      tools: [],
    };
    if (guards !== undefined && !(await guards.request(request))) throw new Error('blocked');
    const response = await model.generate(request, { signal });
    tokens += response.usage.inputTokens + response.usage.outputTokens;
    const text = response.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
    if (guards !== undefined && !(await guards.response(text))) throw new Error('blocked');
    const calls = response.content.flatMap((part) =>
      part.type === 'tool-call' ? [part.call] : [],
    );
    messages.push({ role: 'assistant', content: bareContent(response) });
    if (response.finishReason !== 'tool-calls') return step;
    const results = await Promise.all(calls.map((call) => runBareTool(call, guards)));
    messages.push({ role: 'tool', content: results });
  }
  throw new Error(`too many steps, ${tokens} tokens`);
}

function bareContent(response: ModelResponse): AssistantPart[] {
  return response.content.map((part) => {
    if (part.type !== 'tool-call') return part;
    const { id, toolName, inputText } = part.call;
    return {
      type: 'tool-call',
      callId: id,
      providerCallId: id,
      toolName,
      input: JSON.parse(inputText),
    };
  });
}

async function runBareTool(
  call: ModelToolCall,
  guards: Guards | undefined,
): Promise<ToolResultPart> {
  const { id, toolName } = call;
  const part = { type: 'tool-result', callId: id, providerCallId: id, toolName } as const;
  if (guards !== undefined && !(await guards.tool(toolName))) throw new Error('blocked');
  try {
    const input = weatherInput.parse(JSON.parse(call.inputText));
    const output = await lookUp(input);
    return {
      ...part,
      outcome: 'succeeded',
      isError: false,
      output: JSON.parse(JSON.stringify(output)),
    };
  } catch (error) {
    return { ...part, outcome: 'failed', isError: true, output: String(error) };
  }
}

function policies(guards: Guards): readonly AgentHooks[] {
  return [
    defineHooks({
      name: 'request',
      preLlmRequest: async (request) =>
        (await guards.request(request)) ? RequestDecision.proceed() : RequestDecision.block('bad'),
    }),
    defineHooks({
      name: 'response',
      onLlmResponse: async (response) =>
        (await guards.response(response.text))
          ? ResponseDecision.accept()
          : ResponseDecision.block('card'),
    }),
    defineHooks({
      name: 'tool',
      preToolUse: async (invocation) =>
        (await guards.tool(invocation.toolName)) ? ToolDecision.allow() : ToolDecision.block('no'),
    }),
  ];
}

const weather: ToolPort = tool({
  name: 'weather',
  description: 'The weather of a city',
  inputSchema: weatherInput,
  sideEffects: 'none',
  execute: lookUp,
});

let threads = 0;

/** One turn of `steps` steps on a new thread, the agent built for it. Without a store, a fresh one in memory. */
export async function runOurs(
  steps: number,
  kind: GuardKind,
  store?: ThreadStore,
): Promise<number> {
  const guards = guardsOf(kind);
  const agent = createAgent({
    name: 'bench',
    model: weatherModel(steps),
    instructions: SYSTEM,
    tools: [weather],
    hooks: guards === undefined ? [] : policies(guards),
    limits: { steps: steps + 1 },
    ...(store !== undefined && { store }),
  });
  threads += 1;
  const result = await agent.run({ threadId: `t${threads}`, message: QUESTION });
  if (result.status !== 'completed' || result.steps !== steps)
    throw new Error(`unexpected: ${result.status}`);
  return result.steps;
}
