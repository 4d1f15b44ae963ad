import type { LanguageModelV4, LanguageModelV4Content } from '@ai-sdk/provider';
import { generateText, isStepCount, type LanguageModel, tool, wrapLanguageModel } from 'ai';
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
  weatherInput,
} from '../work.ts';

/**
 * The AI SDK: `generateText` with its own loop. The request and the response are guarded by one middleware, as
 * its documentation shows for guardrails, and the tool by a wrapper around `execute`.
 */
export const contender: Contender = { name: 'ai', prepare };

function prepare(work: Work): Turn {
  const guards = guardsOf(work.guards);
  const plain = weatherModel(work);
  const model = guards === undefined ? plain : guarded(plain, guards);
  const tools = { weather: weatherTool(guards) };
  const stopWhen = isStepCount(work.steps + 1);
  return async () => {
    const { text, steps } = await generateText({
      model,
      tools,
      stopWhen,
      instructions: SYSTEM,
      prompt: QUESTION,
    });
    if (steps.length !== work.steps) throw new Error(`ai: ${steps.length} steps`);
    return text;
  };
}

function guarded(model: LanguageModelV4, guards: Guards): LanguageModel {
  return wrapLanguageModel({
    model,
    middleware: {
      specificationVersion: 'v4',
      wrapGenerate: async ({ doGenerate, params }) => {
        if (!(await guards.request({ messages: params.prompt }))) throw new Error('blocked');
        const result = await doGenerate();
        const text = result.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
        if (!(await guards.response(text))) throw new Error('blocked');
        return result;
      },
    },
  });
}

function weatherTool(guards: Guards | undefined) {
  return tool({
    description: 'The weather of a city',
    inputSchema: weatherInput,
    execute:
      guards === undefined
        ? lookUp
        : async (input) => {
            if (!(await guards.tool('weather'))) throw new Error('blocked');
            return lookUp(input);
          },
  });
}

const USAGE = {
  inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 20, text: 20, reasoning: undefined },
};

/** A system prompt, the question, and two more messages for every step that asked for tools. */
function weatherModel(work: Work): LanguageModelV4 {
  return {
    specificationVersion: 'v4',
    provider: 'bench',
    modelId: 'weather',
    supportedUrls: {},
    async doGenerate({ prompt }) {
      const step = (prompt.length - 2) / 2;
      const content = contentOf(work, step);
      const unified = content[0]?.type === 'tool-call' ? 'tool-calls' : 'stop';
      return {
        content,
        finishReason: { unified, raw: unified },
        usage: USAGE,
        warnings: [],
        response: { id: `msg_${step}`, modelId: 'weather' },
      };
    },
    doStream() {
      throw new Error('nothing is streamed here');
    },
  };
}

function contentOf(work: Work, step: number): LanguageModelV4Content[] {
  const calls = callsOf(work, step);
  if (calls.length === 0) return [{ type: 'text', text: ANSWER }];
  return calls.map(({ id, toolName, inputText }) => ({
    type: 'tool-call',
    toolCallId: id,
    toolName,
    input: inputText,
  }));
}
