import type {
  ChatModel,
  ModelCallOptions,
  ModelRequest,
  ModelResponse,
} from '../../../src/models/port.ts';
import type { ChatStreamPart } from '../../../src/protocol/chat.ts';

/** What becomes of one attempt: parts and then an end, an error, or silence. */
export interface Attempted {
  readonly parts?: readonly string[];
  readonly fails?: unknown;
  /** Never goes on after its parts, whatever its signal says. */
  readonly hangs?: true;
  readonly usage?: ModelResponse['usage'];
  /** Milliseconds before each part. */
  readonly everyMs?: number;
}

/** A model whose attempts end as told, one after the other; the last one is repeated. */
export class FlakyModel implements ChatModel {
  readonly id: string;
  readonly seen: ModelCallOptions[] = [];
  closed = 0;
  readonly #attempts: readonly Attempted[];

  constructor(id: string, attempts: readonly Attempted[]) {
    this.id = id;
    this.#attempts = attempts;
  }

  async generate(_: ModelRequest, options: ModelCallOptions): Promise<ModelResponse> {
    const { parts = [], fails, hangs, usage = USAGE } = this.#next(options);
    if (hangs) await new Promise(() => undefined);
    if (fails !== undefined) throw fails;
    return { content: [{ type: 'text', text: parts.join('') }], finishReason: 'stop', usage };
  }

  async *stream(_: ModelRequest, options: ModelCallOptions): AsyncGenerator<ChatStreamPart> {
    const { parts = [], fails, hangs, usage = USAGE, everyMs } = this.#next(options);
    try {
      for (const text of parts) {
        if (everyMs !== undefined) await new Promise((resolve) => setTimeout(resolve, everyMs));
        yield { type: 'text', text };
      }
      if (hangs) await new Promise(() => undefined);
      if (fails !== undefined) throw fails;
      yield { type: 'finish', result: { finishReason: 'stop', usage } };
    } finally {
      this.closed += 1;
    }
  }

  #next(options: ModelCallOptions): Attempted {
    const attempt = this.#attempts[Math.min(this.seen.length, this.#attempts.length - 1)];
    this.seen.push(options);
    return attempt ?? {};
  }
}

export const USAGE = { inputTokens: 10, outputTokens: 5 };
