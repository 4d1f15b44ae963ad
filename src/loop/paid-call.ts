import { ModelError } from '../errors/model-error.ts';
import { requireStream } from '../errors/require-stream.ts';
import { CancelScope } from '../internal/cancel-scope.ts';
import type { ChatModel, ModelCallOptions, ModelRequest, ModelRetry } from '../models/port.ts';
import type { ChatStreamPart, Usage } from '../protocol/chat.ts';
import { readStreamPart } from '../protocol/read-stream-part.ts';
import { addUsage, NO_USAGE, totalTokens, usageOf } from '../protocol/usage.ts';
import { readModelResponse, readPaidModel, readPaidUsage } from './read-model-response.ts';
import type { Session } from './session.ts';

/** What the calls below the policies of one answer have cost, each by the model that was called, whatever became of it. */
export class Bill {
  #usage: Usage = NO_USAGE;
  #last: Usage | undefined;
  #model: string | undefined;

  get usage(): Usage {
    return this.#usage;
  }

  /** What the last call cost that cost anything. */
  get last(): Usage | undefined {
    return this.#last;
  }

  /** The model that answered last, where it has said so. */
  get model(): string | undefined {
    return this.#model;
  }

  add(usage: Usage, model: string): void {
    if (totalTokens(usage) === 0) return;
    this.#usage = addUsage(this.#usage, usageOf(model, usage));
    this.#last = usage;
  }

  answeredBy(model: string | undefined): void {
    this.#model = model ?? this.#model;
  }
}

/** One call of the model, which begins when its first part is asked for. */
export interface PaidCallSetting {
  readonly request: ModelRequest;
  readonly session: Session;
  readonly model: ChatModel;
  readonly streams: boolean;
  readonly bill: Bill;
  readonly onRetry: (retry: ModelRetry) => void;
}

type Result = IteratorResult<ChatStreamPart, undefined>;

/**
 * The model below the policies around it, as parts that were read and frozen. Streams only where the run does; a
 * whole answer is given in parts. Puts what it costs on the bill once, as soon as it is known.
 */
export class PaidCall implements AsyncIterableIterator<ChatStreamPart, undefined> {
  readonly #setting: PaidCallSetting;
  readonly #options: PaidCallOptions;
  #source: AsyncIterator<ChatStreamPart> | undefined;
  #isFinished = false;
  #isOver = false;

  constructor(setting: PaidCallSetting) {
    this.#setting = setting;
    this.#options = new PaidCallOptions(setting);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<Result> {
    if (this.#isOver) return DONE;
    try {
      this.#source ??= this.#open();
      const { done, value } = await this.#source.next();
      if (done !== true) return { done: false, value: this.#read(value) };
      if (!this.#isFinished)
        throw unusable('it ended without saying that it was finished', CUT_OFF);
      this.#end();
      return DONE;
    } catch (error) {
      this.#pay(error);
      this.#end();
      this.#close();
      throw error;
    }
  }

  /** Nobody reads it any more: a model that is still at work is told. */
  return(): Promise<Result> {
    if (!this.#isOver) {
      this.#end();
      if (!this.#isFinished) this.#options.abort();
      this.#close();
    }
    return Promise.resolve(DONE);
  }

  #open(): AsyncIterator<ChatStreamPart> {
    const { request, model, streams } = this.#setting;
    return streams
      ? requireStream(model.stream(request, this.#options), model)[Symbol.asyncIterator]()
      : this.#generate();
  }

  async *#generate(): AsyncGenerator<ChatStreamPart> {
    const { request, model } = this.#setting;
    const given: unknown = await model.generate(request, this.#options);
    // Paid, whether or not it can be read.
    this.#pay(given);
    const { content, ...result } = readModelResponse(given, model.id);
    for (const part of content) yield part;
    yield { type: 'finish', result };
  }

  #read(value: unknown): ChatStreamPart {
    if (this.#isFinished)
      throw unusable('it went on after it had said that it was finished', BROKEN);
    const read = readStreamPart(value);
    if ('problem' in read) {
      this.#pay(resultOf(value));
      throw unusable(`a part of it is no ChatStreamPart: ${read.problem}`, BROKEN);
    }
    const { part } = read;
    if (part.type !== 'finish') return part;
    this.#isFinished = true;
    const { streams, bill, model } = this.#setting;
    const answered = part.result.model;
    if (streams) bill.add(part.result.usage, answered ?? model.id);
    bill.answeredBy(answered);
    return part;
  }

  #pay(paid: unknown): void {
    const { bill, model } = this.#setting;
    bill.add(readPaidUsage(paid), readPaidModel(paid) ?? model.id);
  }

  #end(): void {
    this.#isOver = true;
    this.#options.end();
  }

  /** It has nothing left to say: that its end fails or never comes changes nothing. */
  #close(): void {
    try {
      Promise.resolve(this.#source?.return?.()).catch(() => undefined);
    } catch {
      return;
    }
  }
}

const DONE: Result = Object.freeze({ done: true, value: undefined });

/**
 * What the model may know and tell. It cannot begin a stream again that a policy has read from: nobody can make the
 * policy forget.
 */
class PaidCallOptions implements ModelCallOptions {
  readonly #setting: PaidCallSetting;
  #scope: CancelScope | undefined;
  #hasEnded = false;
  #isAborted = false;

  constructor(setting: PaidCallSetting) {
    this.#setting = setting;
  }

  get signal(): AbortSignal {
    if (this.#scope === undefined) {
      this.#scope = new CancelScope();
      if (this.#isAborted) this.abort();
    }
    return this.#scope.signal;
  }

  get onRetry(): (retry: ModelRetry) => void {
    return (retry) => {
      if (!this.#hasEnded) this.#setting.onRetry(retry);
    };
  }

  abort(): void {
    this.#isAborted = true;
    this.#scope?.cancel(this.#setting.session.options.cancel.reason);
  }

  end(): void {
    this.#hasEnded = true;
  }
}

/** What a part that cannot be read as a whole says of its cost. */
function resultOf(part: unknown): unknown {
  try {
    return (part as { readonly result?: unknown }).result;
  } catch {
    // What is no object, and a foreign one that throws when it is looked at, says nothing.
    return undefined;
  }
}

const BROKEN = 'Nothing of the answer was kept; correct the ChatModel that gave it';
const CUT_OFF =
  'The connection was probably cut; nothing of the answer was kept, so send the message again';

function unusable(what: string, fix: string): ModelError {
  return new ModelError('invalid-response', { where: 'model stream', what, fix });
}
