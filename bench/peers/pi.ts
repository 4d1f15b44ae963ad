import {
  Agent,
  type AgentContext,
  type AgentEvent,
  type AgentLoopConfig,
  type AgentMessage,
  type AgentTool,
  runAgentLoop,
  type StreamFn,
} from '@earendil-works/pi-agent-core';
import {
  type AssistantMessage,
  createAssistantMessageEventStream,
  type Message,
  type Model,
} from '@earendil-works/pi-ai';
import { obj, str } from '@earendil-works/pi-schema';
import {
  ANSWER,
  type Contender,
  callsOf,
  type Guards,
  guardsOf,
  lookUp,
  QUESTION,
  SYSTEM,
  type Turn,
  type Work,
} from '../work.ts';

/**
 * pi: an `Agent` for each conversation. The request is guarded by `prepareRequest`, the response by a subscriber
 * to `message_end`, which the agent awaits before it runs tools, and the tool by `beforeToolCall`.
 */
export const contender: Contender = { name: 'pi', prepare: prepareAgent };

/** The loop below it, without the state, the queues and the subscribers of an `Agent`. */
export const loop: Contender = { name: 'pi-loop', prepare: prepareLoop };

function prepareAgent(work: Work): Turn {
  const guards = guardsOf(work.guards);
  const hooks = guards === undefined ? {} : guarded(guards);
  const listener = guards === undefined ? undefined : guardedEvents(guards);
  const initialState = { systemPrompt: SYSTEM, model, tools: [weather] };
  const streamFn = weatherStream(work);
  return async () => {
    const agent = new Agent({ initialState, streamFn, ...hooks });
    if (listener !== undefined) agent.subscribe(listener);
    await agent.prompt(QUESTION);
    return textOf(agent.state.messages.at(-1));
  };
}

function prepareLoop(work: Work): Turn {
  const guards = guardsOf(work.guards);
  const config = guards === undefined ? plain : { ...plain, ...guarded(guards) };
  const emit = guards === undefined ? ignore : guardedEvents(guards);
  const streamFn = weatherStream(work);
  return async () => {
    const context: AgentContext = { messages: [system()], tools: [weather] };
    const messages = await runAgentLoop([question()], context, config, emit, undefined, streamFn);
    return textOf(messages.at(-1));
  };
}

const model: Model<'bench'> = {
  id: 'weather',
  name: 'weather',
  api: 'bench',
  provider: 'bench',
  baseUrl: '',
  input: ['text'],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  reasoning: false,
  contextWindow: 1_000_000,
  maxTokens: 1_000,
};

// No message of an app's own kind is made here, so every one is a model's already.
const plain: AgentLoopConfig = { model, convertToLlm: (messages) => messages as Message[] };

function guarded(guards: Guards): Pick<AgentLoopConfig, 'prepareRequest' | 'beforeToolCall'> {
  return {
    prepareRequest: async ({ context }) => {
      if (!(await guards.request(context))) throw new Error('blocked');
      return undefined;
    },
    beforeToolCall: async ({ toolCall }) =>
      (await guards.tool(toolCall.name)) ? undefined : { block: true, reason: 'no' },
  };
}

function guardedEvents(guards: Guards): (event: AgentEvent) => Promise<void> | void {
  return (event) =>
    event.type === 'message_end' && event.message.role === 'assistant'
      ? judge(event.message, guards)
      : undefined;
}

async function judge(message: AssistantMessage, guards: Guards): Promise<void> {
  if (!(await guards.response(textOf(message)))) throw new Error('blocked');
}

function ignore(): undefined {
  return undefined;
}

const parameters = obj({ city: str() });

const weather: AgentTool<typeof parameters> = {
  name: 'weather',
  label: 'Weather',
  description: 'The weather of a city',
  parameters,
  execute: async (_id, input) => {
    const details = await lookUp(input);
    return { content: [{ type: 'text', text: JSON.stringify(details) }], details };
  },
};

/** A system prompt, the question, and for every step that asked for tools its answer and a message per result. */
function weatherStream(work: Work): StreamFn {
  const perStep = 1 + work.calls;
  return (_model, { messages }) => {
    const stream = createAssistantMessageEventStream();
    const message = answer(work, (messages.length - 2) / perStep);
    stream.push({
      type: 'done',
      reason: message.stopReason === 'toolUse' ? 'toolUse' : 'stop',
      message,
    });
    return stream;
  };
}

function answer(work: Work, step: number): AssistantMessage {
  const content = contentOf(work, step);
  return {
    role: 'assistant',
    content,
    api: 'bench',
    provider: 'bench',
    model: 'weather',
    responseId: `msg_${step}`,
    usage: USAGE,
    stopReason: content[0]?.type === 'toolCall' ? 'toolUse' : 'stop',
    timestamp: Date.now(),
  };
}

const USAGE = {
  input: 10,
  output: 20,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 30,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

/** Its providers parse the arguments. */
function contentOf(work: Work, step: number): AssistantMessage['content'] {
  const calls = callsOf(work, step);
  if (calls.length === 0) return [{ type: 'text', text: ANSWER }];
  return calls.map(({ id, toolName, inputText }) => ({
    type: 'toolCall',
    id,
    name: toolName,
    arguments: JSON.parse(inputText),
  }));
}

/** The text of the model, or nothing for anybody else's message. */
function textOf(message: AgentMessage | undefined): string {
  if (message?.role !== 'assistant') return '';
  return message.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** With the tools declared, so that the loop need not add a message that does. */
function system(): AgentMessage {
  const toolsAdded = [{ name: weather.name, description: weather.description, parameters }];
  return { role: 'system', content: SYSTEM, toolsAdded, timestamp: Date.now() };
}

function question(): AgentMessage {
  return { role: 'user', content: [{ type: 'text', text: QUESTION }], timestamp: Date.now() };
}
