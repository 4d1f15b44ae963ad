import type { ChatModel, ChatStreamPart, ModelResponse } from '../../src/index.ts';

/** A model that gives exactly this, whatever it is: as an answer, and as the parts of a stream. */
export function rawModel(answer: unknown, parts: readonly unknown[] = []): ChatModel {
  return {
    id: 'raw',
    generate: async () => answer as ModelResponse, // What it really is, is the point of the test.
    async *stream() {
      yield* parts as readonly ChatStreamPart[];
    },
  };
}
