import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';

export const usage: LanguageModelV4Usage = {
  inputTokens: { total: 100, noCache: 70, cacheRead: 30, cacheWrite: undefined },
  outputTokens: { total: 50, text: 40, reasoning: 10 },
};

export const finish: LanguageModelV4StreamPart = {
  type: 'finish',
  finishReason: { unified: 'stop', raw: 'stop' },
  usage,
};

/** A provider package that answers what no server here can be made to answer. */
export class FakeModel implements LanguageModelV4 {
  readonly specificationVersion = 'v4';
  readonly provider = 'fake';
  readonly modelId = 'one';
  readonly supportedUrls = {};
  readonly seen: LanguageModelV4CallOptions[] = [];
  closed = false;
  readonly #content: LanguageModelV4Content[];
  readonly #finishReason: LanguageModelV4FinishReason;
  readonly #parts: readonly LanguageModelV4StreamPart[];

  constructor(answer: {
    readonly content?: LanguageModelV4Content[];
    readonly finishReason?: LanguageModelV4FinishReason;
    readonly parts?: readonly LanguageModelV4StreamPart[];
  }) {
    this.#content = answer.content ?? [];
    this.#finishReason = answer.finishReason ?? { unified: 'stop', raw: 'stop' };
    this.#parts = answer.parts ?? [];
  }

  async doGenerate(options: LanguageModelV4CallOptions): Promise<LanguageModelV4GenerateResult> {
    this.seen.push(options);
    return { content: this.#content, finishReason: this.#finishReason, usage, warnings: [] };
  }

  async doStream(options: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult> {
    this.seen.push(options);
    const parts = this.#parts.values();
    const stream = new ReadableStream<LanguageModelV4StreamPart>({
      pull: (controller) => {
        const next = parts.next();
        if (next.done) controller.close();
        else controller.enqueue(next.value);
      },
      cancel: () => {
        this.closed = true;
      },
    });
    return { stream };
  }
}
