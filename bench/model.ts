import type { ChatModel, ModelPart } from 'agent-hooks';
import { ANSWER, callsOf, type Work } from './work.ts';

const USAGE = { inputTokens: 10, outputTokens: 20 };

/**
 * The model that the hand-written loop and agent-hooks call. It answers at once, and knows the step from the
 * number of messages, so that one of it serves any number of threads: a system prompt, `history` messages, the
 * question, and two more for every step that asked for tools.
 */
export function weatherModel(work: Work, history: number): ChatModel {
  return {
    id: 'weather',
    async generate({ messages }) {
      const step = (messages.length - history - 2) / 2;
      const content = contentOf(work, step);
      return {
        id: `msg_${step}`,
        model: 'weather',
        content,
        finishReason: content[0]?.type === 'tool-call' ? 'tool-calls' : 'stop',
        usage: USAGE,
      };
    },
    stream() {
      throw new Error('nothing is streamed here');
    },
  };
}

function contentOf(work: Work, step: number): ModelPart[] {
  const calls = callsOf(work, step);
  if (calls.length === 0) return [{ type: 'text', text: ANSWER }];
  return calls.map((call) => ({ type: 'tool-call', call }));
}
