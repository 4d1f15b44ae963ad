import {
  type AgentEvent,
  type AgentHooks,
  type AgentOptions,
  type ChatModel,
  type ChatStreamPart,
  createAgent,
  type ModelCallOptions,
  memoryStore,
  type RunResult,
  type ThreadStore,
} from 'agent-hooks';

const usage = { inputTokens: 1, outputTokens: 1 };

export const finish: ChatStreamPart = {
  type: 'finish',
  result: { finishReason: 'stop', usage },
};

/** Streams text in just these pieces, or gives it whole. */
export function piecesModel(...answers: readonly (readonly string[])[]): ChatModel {
  let next = 0;
  const pieces = (): readonly string[] => answers[next++] ?? [];
  return {
    id: 'pieces',
    generate: async () => ({
      content: [{ type: 'text', text: pieces().join('') }],
      finishReason: 'stop',
      usage,
    }),
    async *stream() {
      for (const text of pieces()) yield { type: 'text', text };
      yield finish;
    },
  };
}

/** Streams what a function yields. */
export function streamModel(
  stream: (options: ModelCallOptions) => AsyncIterable<ChatStreamPart>,
): ChatModel {
  return {
    id: 'stream',
    generate: () => Promise.reject(new Error('not used')),
    stream: (_request, options) => stream(options),
  };
}

export interface Watched {
  readonly events: readonly AgentEvent[];
  /** The pieces of text that left, in order. */
  readonly pieces: readonly string[];
  readonly types: readonly string[];
  readonly result: RunResult;
  readonly store: ThreadStore;
}

/** Runs one turn in a windowed stream and reads it to the end. */
export async function watch(
  model: ChatModel,
  hooks: readonly AgentHooks[],
  more: Partial<AgentOptions> = {},
): Promise<Watched> {
  const store = memoryStore();
  const agent = createAgent({ name: 'a', model, hooks, store, streaming: 'window', ...more });
  const stream = agent.stream({ threadId: 't', message: 'go' });
  const events: AgentEvent[] = [];
  for await (const event of stream) events.push(event);
  return {
    events,
    pieces: events.flatMap((event) => (event.type === 'llm.delta' ? [event.text] : [])),
    types: events.map(({ type }) => type),
    result: await stream.result,
    store,
  };
}

/** Every text a reader of the stream was shown. */
export function shownIn(events: readonly AgentEvent[]): string {
  return events
    .flatMap((event) =>
      event.type === 'llm.delta' || event.type === 'message.outgoing' ? [event.text] : [],
    )
    .join('\n');
}
