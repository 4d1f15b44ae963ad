import {
  type AgentHooks,
  type AssistantPart,
  type ChatModel,
  type ChatRequest,
  type ChatResponse,
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

/** The three guards, as plain functions: one each before the call, after it, and before the tool. */
const guards = {
  request: async (request: { readonly messages: readonly Message[] }): Promise<boolean> => {
    const last = request.messages.at(-1);
    return last?.role !== 'user' || !textOf(last).includes('ignore all previous instructions');
  },
  response: async (text: string): Promise<boolean> => !CARD.test(text),
  tool: async (toolName: string): Promise<boolean> => ALLOWED.has(toolName),
};

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
  withGuards = true,
): Promise<number> {
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
    if (withGuards && !(await guards.request(request))) throw new Error('blocked');
    const response = await model.generate(request, { signal });
    tokens += response.usage.inputTokens + response.usage.outputTokens;
    const text = response.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
    if (withGuards && !(await guards.response(text))) throw new Error('blocked');
    const calls = response.content.flatMap((part) =>
      part.type === 'tool-call' ? [part.call] : [],
    );
    messages.push({ role: 'assistant', content: bareContent(response) });
    if (response.finishReason !== 'tool-calls') return step;
    const results = await Promise.all(calls.map((call) => runBareTool(call, withGuards)));
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

async function runBareTool(call: ModelToolCall, withGuards: boolean): Promise<ToolResultPart> {
  const { id, toolName } = call;
  const part = { type: 'tool-result', callId: id, providerCallId: id, toolName } as const;
  if (withGuards && !(await guards.tool(toolName))) throw new Error('blocked');
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

const threeGuards: readonly AgentHooks[] = [
  defineHooks({
    name: 'request',
    preLlmRequest: async (request: ChatRequest) =>
      (await guards.request(request)) ? RequestDecision.proceed() : RequestDecision.block('empty'),
  }),
  defineHooks({
    name: 'response',
    onLlmResponse: async (response: ChatResponse) =>
      (await guards.response(response.text))
        ? ResponseDecision.accept()
        : ResponseDecision.block('card'),
  }),
  defineHooks({
    name: 'tool',
    preToolUse: async (invocation) =>
      (await guards.tool(invocation.toolName)) ? ToolDecision.allow() : ToolDecision.block('tool'),
  }),
];

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
  options: { readonly store?: ThreadStore; readonly withGuards?: boolean } = {},
): Promise<number> {
  const { store, withGuards = true } = options;
  const agent = createAgent({
    name: 'bench',
    model: weatherModel(steps),
    instructions: SYSTEM,
    tools: [weather],
    hooks: withGuards ? threeGuards : [],
    limits: { steps: steps + 1 },
    ...(store !== undefined && { store }),
  });
  threads += 1;
  const result = await agent.run({ threadId: `t${threads}`, message: QUESTION });
  if (result.status !== 'completed' || result.steps !== steps)
    throw new Error(`unexpected: ${result.status}`);
  return result.steps;
}
