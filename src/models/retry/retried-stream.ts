import { ModelError } from '../../errors/model-error.ts';
import type { ChatStreamPart } from '../../protocol/chat.ts';
import { cutShort } from '../cut-short.ts';
import type { ModelCallOptions } from '../port.ts';
import { Attempt } from './attempt.ts';
import type { Retries } from './retries.ts';

interface StreamSource {
  readonly open: (options: ModelCallOptions) => AsyncIterable<ChatStreamPart>;
  readonly options: ModelCallOptions;
  readonly retries: Retries;
  readonly stallMs: number;
  readonly modelId: string;
}

/** The parts of one answer, from as many streams as it takes. */
export class RetriedStream {
  readonly #source: StreamSource;
  #attempt: Attempt | undefined;
  #iterator: AsyncIterator<ChatStreamPart> | undefined;
  #isFinished = false;
  #hasGiven = false;

  constructor(source: StreamSource) {
    this.#source = source;
  }

  /** The next part, of a new stream where none is open; `undefined` at the end. */
  async next(): Promise<ChatStreamPart | undefined> {
    try {
      this.#attempt ??= this.#start();
      this.#iterator ??= this.#open(this.#attempt);
      const { done, value } = await this.#attempt.wait(this.#iterator.next());
      if (done === true) return this.#end();
      return this.#take(value);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** The first part of a further attempt, if there may be one. */
  again(error: unknown): Promise<ChatStreamPart | undefined> {
    const { options, retries } = this.#source;
    const mayRestart = !this.#hasGiven || options.restarts === true;
    if (this.#isFinished || !mayRestart) retries.over = true;
    return retries.again(error, () => this.next());
  }

  /** Lets go of the open stream, without waiting for it: it may be the one that hangs. */
  close(): void {
    const iterator = this.#iterator;
    this.#attempt?.close(this.#isFinished);
    this.#attempt = undefined;
    this.#iterator = undefined;
    try {
      Promise.resolve(iterator?.return?.()).catch(() => undefined);
    } catch {
      // It has nothing left to say: that its end fails changes nothing.
    }
  }

  #start(): Attempt {
    const { options, stallMs } = this.#source;
    return new Attempt(options.signal, stallMs, () => this.#silent());
  }

  #open({ signal }: Attempt): AsyncIterator<ChatStreamPart> {
    const { open, options, retries } = this.#source;
    const restarts = options.restarts === true;
    const onRetry = retries.attempts.tell;
    return open({ signal, onRetry, restarts })[Symbol.asyncIterator]();
  }

  #take(part: ChatStreamPart): ChatStreamPart {
    this.#hasGiven = true;
    if (part?.type !== 'finish') return part;
    this.#isFinished = true;
    const { retries } = this.#source;
    if (!retries.hasSpent) return part;
    return { ...part, result: { ...part.result, usage: retries.total(part.result.usage) } };
  }

  #end(): undefined {
    if (this.#isFinished) return undefined;
    throw cutShort(this.#source.modelId);
  }

  #silent(): ModelError {
    return new ModelError('timed-out', {
      where: `model '${this.#source.modelId}'`,
      what: `the stream gave nothing for ${this.#source.stallMs} ms`,
      fix: 'Try again, or raise `stallMs` for a model that thinks for long',
    });
  }
}
