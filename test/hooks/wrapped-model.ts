import type { AgentHooks } from '../../src/hooks/agent-hooks.ts';
import type { GatePorts, WrappedCall } from '../../src/hooks/gate.ts';
import type { ChatRequest, ChatStreamPart, Usage } from '../../src/protocol/chat.ts';
import { type Bench, bench, NOW, request } from './make-gate.ts';

const USAGE: Usage = { inputTokens: 1, outputTokens: 2 };

export const text = (value: string): ChatStreamPart => ({ type: 'text', text: value });
export const finish: ChatStreamPart = {
  type: 'finish',
  result: { finishReason: 'stop', usage: USAGE },
};

/** What the model below the policies does when it is called for the nth time. */
export type Answers = (call: number, request: ChatRequest) => AsyncIterable<ChatStreamPart>;

/** One model call with policies around it, and everything that can be seen of it. */
export interface Around extends Bench {
  readonly wrapped: WrappedCall;
  /** The requests that reached the model, in order. */
  readonly requests: ChatRequest[];
  /** How many calls of the model are open. */
  readonly open: () => number;
  /** Reads the answer to its end: the texts of its parts, `!` for the finish part, or the error. */
  readonly read: () => Promise<readonly string[]>;
}

export const given: ChatRequest = request();

export function around(
  hooks: readonly AgentHooks[],
  answers: Answers = () => says('hello'),
  ports: Partial<GatePorts> = {},
): Around {
  const run = bench(hooks, ports);
  const requests: ChatRequest[] = [];
  let open = 0;
  const call = (asked: ChatRequest): AsyncIterable<ChatStreamPart> => ({
    [Symbol.asyncIterator]() {
      requests.push(asked);
      open += 1;
      let isOpen = true;
      const iterator = answers(requests.length, asked)[Symbol.asyncIterator]();
      const close = (): void => {
        if (isOpen) open -= 1;
        isOpen = false;
      };
      return {
        async next() {
          try {
            const result = await iterator.next();
            if (result.done === true) close();
            return result;
          } catch (error) {
            close();
            throw error;
          }
        },
        async return() {
          close();
          void iterator.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  });
  const wrapped = run.gate.llmCall(given, call, NOW);
  return { ...run, wrapped, requests, open: () => open, read: () => readAll(wrapped) };
}

async function readAll(wrapped: WrappedCall): Promise<readonly string[]> {
  const seen: string[] = [];
  try {
    for await (const part of wrapped.parts) seen.push('text' in part ? part.text : '!');
  } finally {
    wrapped.close();
  }
  return seen;
}

/** A model that says these pieces and finishes. */
export async function* says(...pieces: readonly string[]): AsyncGenerator<ChatStreamPart> {
  for (const piece of pieces) yield text(piece);
  yield finish;
}

/** A model that says one piece and then nothing more, until it is let go. */
export async function* hangs(): AsyncGenerator<ChatStreamPart> {
  yield text('first');
  await new Promise(() => undefined);
}

export async function* fails(error: unknown): AsyncGenerator<ChatStreamPart> {
  yield text('half');
  throw error;
}

/** A policy around the model call, under a name. */
export function wraps(
  name: string,
  wrapLlmCall: NonNullable<AgentHooks['wrapLlmCall']>,
  options: AgentHooks['options'] = {},
): AgentHooks {
  return { name, options, wrapLlmCall };
}
