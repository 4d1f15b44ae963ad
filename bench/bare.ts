import type {
  AssistantPart,
  ChatModel,
  Message,
  ModelResponse,
  ModelToolCall,
  ToolResultPart,
} from 'agent-hooks';
import { weatherModel } from './model.ts';
import {
  type Contender,
  type Guards,
  guardsOf,
  lookUp,
  QUESTION,
  SYSTEM,
  type Turn,
  type Work,
  weatherInput,
} from './work.ts';

/** The loop that everything is compared with. Types are all it takes from agent-hooks. */
export const contender: Contender = {
  name: 'bare',
  prepare: (work) => prepareBare(work, []),
};

export function prepareBare(work: Work, history: readonly Message[]): Turn {
  const model = weatherModel(work, history.length);
  const guards = guardsOf(work.guards);
  return () => runBare({ steps: work.steps, model, guards, history });
}

interface BareSetting {
  readonly steps: number;
  readonly model: ChatModel;
  readonly guards: Guards | undefined;
  readonly history: readonly Message[];
}

/**
 * The loop a team would write by hand: a request built per call, arguments parsed and checked, a failing tool
 * answered as an error, tokens and steps counted, an abort heard, and the same three guards awaited. No
 * store, no events, no approvals.
 */
async function runBare({ steps, model, guards, history }: BareSetting): Promise<string> {
  const messages: Message[] = [
    ...history,
    { role: 'user', content: [{ type: 'text', text: QUESTION }] },
  ];
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
    if (response.finishReason !== 'tool-calls') return text;
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
