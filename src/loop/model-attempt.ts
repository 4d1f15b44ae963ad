import { requireStream } from '../errors/require-stream.ts';
import type { Moment } from '../hooks/gate.ts';
import { CancelScope } from '../internal/cancel-scope.ts';
import { Later } from '../internal/later.ts';
import type { MaybePromise } from '../internal/maybe-promise.ts';
import type {
  ChatModel,
  ModelCallOptions,
  ModelRequest,
  ModelResponse,
  ModelRetry,
} from '../models/port.ts';
import type { ChatRequest, ChatResponse, ModelFinish, Usage } from '../protocol/chat.ts';
import { addUsage, NO_USAGE, totalTokens, usageOf } from '../protocol/usage.ts';
import { assembleResponse } from './assemble-response.ts';
import { NO_SETTINGS } from './build-request.ts';
import { callWrapped, RequestRefused } from './call-wrapped.ts';
import { collectStream, type Delta, type StreamReader } from './collect-stream.ts';
import type { LoopEvent } from './event.ts';
import type { HeldText, TextStop } from './held-text.ts';
import { holdText } from './judge-text.ts';
import {
  emptyResponse,
  errorFinish,
  FAILED,
  failure,
  isEmpty,
  refused,
  stopped,
} from './model-endings.ts';
import { Bill } from './paid-call.ts';
import { readModelResponse, readPaidModel, readPaidUsage } from './read-model-response.ts';
import { retract } from './retract.ts';
import type { Session } from './session.ts';
import type { OpenTurn } from './state.ts';
import { WholePieces } from './whole-pieces.ts';

export interface ModelCall {
  readonly request: ChatRequest;
  readonly model: ChatModel;
  readonly moment: Moment;
  /** True when the model's streaming call is to be used. */
  readonly streams: boolean;
  /** True when policies are around it. */
  readonly isWrapped: boolean;
  readonly turn: OpenTurn;
  readonly session: Session;
}

type Answer =
  | { readonly type: 'cancelled' }
  | { readonly type: 'responded'; readonly response: ModelResponse }
  | { readonly type: 'stopped'; readonly stop: TextStop }
  | RequestRefused
  | { readonly type: 'failed'; readonly error: unknown; readonly usage: Usage };

/**
 * One sending of the request, and what the model is given with it: the signal and the callback are made only for a
 * model that reads them. Waits for the model or the cancel, whichever comes first; what comes after a cancel has
 * nobody to hear it.
 */
export class ModelAttempt implements ModelCallOptions {
  /** A model that begins a stream again tells of it, and what was read, and shown live, is taken back. */
  readonly restarts = true;
  readonly held: HeldText | undefined;
  /** What the calls below the policies cost; absent where there are no such policies. */
  readonly bill: Bill | undefined;
  /** What ends the call: a cancel of the run, or a policy that stops the text. */
  readonly scope: CancelScope;
  readonly #call: ModelCall;
  /** Which attempt it is, from 1. */
  readonly #sent: number;
  /** What those before it have cost. */
  readonly #before: Usage;
  readonly #startedAt: number;
  readonly #event = new Later<LoopEvent>();
  #isOpen = true;
  #pieces: WholePieces | undefined;
  #forget: (() => void) | undefined;
  #hasEnded = false;
  /** What the stream last said when it ended, and what it said before it began again. */
  #said: ModelFinish | undefined;
  #saidBefore: Usage = NO_USAGE;

  constructor(call: ModelCall, sent: number, before: Usage) {
    this.#call = call;
    this.#sent = sent;
    this.#before = before;
    const { session } = call;
    this.#startedAt = session.start();
    this.held = session.options.windowed ? this.#holdText() : undefined;
    this.bill = call.isWrapped ? new Bill() : undefined;
    this.scope = this.held === undefined ? session.options.cancel : new CancelScope();
  }

  send(): Later<LoopEvent> {
    this.#call.session.options.cancel.listen(this.#onCancel);
    if (!this.#isOpen) return this.#event;
    try {
      start(this.#call, this).then(this.#onGiven, this.#onError);
    } catch (error) {
      // A promise with a `then` of its own may throw when it is waited for.
      this.#onError(error);
    }
    return this.#event;
  }

  get signal(): AbortSignal {
    return this.scope.signal;
  }

  /** Made for a stream that somebody reads live. */
  get pieces(): WholePieces {
    this.#pieces ??= new WholePieces();
    return this.#pieces;
  }

  get onRetry(): (retry: ModelRetry) => void {
    return (retry) => this.#tell(retry);
  }

  forStream(forget: () => void): this {
    this.#forget = forget;
    return this;
  }

  finished(result: ModelFinish): void {
    this.#saidBefore = this.#told;
    this.#said = result;
  }

  /** The latest account of a stream that has given any: it holds what was paid before. */
  get #told(): Usage {
    if (this.#said === undefined) return NO_USAGE;
    const usage = readPaidUsage(this.#said);
    return totalTokens(usage) === 0
      ? this.#saidBefore
      : usageOf(readPaidModel(this.#said) ?? this.#call.model.id, usage);
  }

  readonly #onCancel = (): void => this.#settle(CANCELLED);

  readonly #onGiven = (given: ModelResponse | RequestRefused): void => {
    if (!this.#isOpen) return;
    // A cancel that comes while the answer is read finds one that is paid for.
    this.#call.session.options.cancel.unlisten(this.#onCancel);
    this.#settle(read(given, this.#call.model.id, this.bill));
  };

  /** What failed attempts have cost comes with the error. */
  readonly #onError = (error: unknown): void => {
    const usage = this.bill?.usage ?? readPaidUsage(error);
    this.#settle({ type: 'failed', error, usage: totalTokens(usage) === 0 ? this.#told : usage });
  };

  #holdText(): HeldText | undefined {
    return holdText(this.#call, {
      stop: (stop) => this.#settle({ type: 'stopped', stop }),
      fail: (error) => this.#settle({ type: 'failed', error, usage: NO_USAGE }),
    });
  }

  #settle(answer: Answer): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const { cancel } = this.#call.session.options;
    // A model may go on after its call has ended; nobody hears of that.
    this.#hasEnded = true;
    this.held?.close();
    if (answer.type === 'stopped' || answer.type === 'cancelled') this.scope.cancel(cancel.reason);
    cancel.unlisten(this.#onCancel);
    let event: MaybePromise<LoopEvent>;
    try {
      event = this.#take(answer);
    } catch (error) {
      this.#event.reject(error);
      return;
    }
    this.#event.resolve(event);
  }

  #take(answer: Answer): MaybePromise<LoopEvent> {
    const { turn, session } = this.#call;
    if (answer.type === 'responded') return this.#takeResponse(answer.response);
    const paid = answer.type === 'failed' ? answer.usage : (this.bill?.usage ?? this.#told);
    const spent = { turn, usage: addUsage(this.#before, paid) };
    switch (answer.type) {
      case 'cancelled':
        return { type: 'turn.cancelled', usage: spent.usage };
      case 'stopped':
        return stopped(answer.stop, session, spent);
      case 'refused':
        return refused(answer, session, spent);
      case 'failed':
        return failure(answer.error, this.#call, spent.usage);
    }
  }

  #takeResponse(given: ModelResponse): MaybePromise<LoopEvent> {
    const { turn, session, model } = this.#call;
    // One that says at its second end that it counts nothing has not taken back what it said at its first.
    const paid = totalTokens(given.usage) === 0 ? this.#saidBefore : given.usage;
    const usage = addUsage(this.#before, paid);
    const response = assembleResponse(given, {
      turn,
      model: model.id,
      usage,
      latencyMs: Math.round(session.now() - this.#startedAt),
    });
    if (response.finishReason === 'error') return failure(errorFinish(model.id), this.#call, usage);
    if (!isEmpty(response)) return responded(response, this.#call, this.bill?.last);
    if (this.#sent > session.ports.emptyRetries)
      return failure(emptyResponse(model.id, this.#sent), this.#call, usage);
    retract(session, FAILED, { turn, point: 'model' });
    session.record(
      { type: 'llm.retrying', reason: 'empty-response', attempt: this.#sent + 1, delayMs: 0 },
      turn.turnId,
      turn.step,
    );
    return new ModelAttempt(this.#call, this.#sent + 1, usageOf(response.model, usage)).send();
  }

  #tell({ attempt, delayMs, reason }: ModelRetry): void {
    const { session, turn } = this.#call;
    if (this.#hasEnded) return;
    this.#forget?.();
    this.held?.forget();
    this.#pieces = undefined;
    retract(session, FAILED, { turn, point: 'model' });
    session.record({ type: 'llm.retrying', reason, attempt, delayMs }, turn.turnId, turn.step);
  }
}

const CANCELLED: Answer = Object.freeze({ type: 'cancelled' });

/** A model may be anybody's: one that answers at once, or with a promise of its own kind, is waited for like the others. */
function start(call: ModelCall, options: ModelAttempt): Promise<ModelResponse | RequestRefused> {
  try {
    return call.streams || options.bill !== undefined
      ? startStream(call, options)
      : Promise.resolve(call.model.generate(toModelRequest(call.request, call), options));
  } catch (error) {
    return Promise.reject(error);
  }
}

function startStream(
  call: ModelCall,
  options: ModelAttempt,
): Promise<ModelResponse | RequestRefused> {
  const { turn, session, model } = call;
  const { bill } = options;
  const toModel = (request: ChatRequest): ModelRequest => toModelRequest(request, call);
  const reader: StreamReader = {
    cancel: options.scope,
    onDelta: (piece) => delta(session, turn, { piece, options }),
  };
  if (bill !== undefined) return callWrapped({ ...call, bill, toModel }, reader);
  const request = toModel(call.request);
  const onFinish = (result: ModelFinish): void => options.finished(result);
  return collectStream(
    (forget) => requireStream(model.stream(request, options.forStream(forget)), model),
    {
      ...reader,
      onFinish,
    },
  );
}

function read(given: unknown, modelId: string, bill: Bill | undefined): Answer {
  // Looked at only where it comes from below a policy: what a model gives may throw when it is.
  if (bill !== undefined && given instanceof RequestRefused) return given;
  try {
    return { type: 'responded', response: readModelResponse(given, modelId) };
  } catch (error) {
    return { type: 'failed', error, usage: readPaidUsage(given) };
  }
}

/** Tells what the provider counted, where somebody goes by it: of several calls around one answer the last. */
function responded(
  response: ChatResponse,
  { session, moment }: ModelCall,
  counted: Usage = response.usage,
): LoopEvent {
  const tokens = totalTokens(counted);
  // A model that counts nothing has not said that the context is empty.
  if (moment.purpose !== 'main' || session.ports.compaction === undefined || tokens === 0)
    return { type: 'model.responded', response };
  return {
    type: 'model.responded',
    response,
    measured: { tokens, messages: session.messageCount },
  };
}

/** Lets one piece out, and says when the reader is ready for the next. */
function delta(
  session: Session,
  turn: OpenTurn,
  { piece, options }: { readonly piece: Delta; readonly options: ModelAttempt },
): Promise<void> | undefined {
  const { live, cancel, backpressure } = session.options;
  const { type: kind } = piece;
  const { held } = options;
  if (held !== undefined) return held.add(kind === 'text' ? piece.text : '') ?? backpressure();
  if (!live || cancel.cancelled) return undefined;
  const text = options.pieces.take(piece);
  if (text === '') return undefined;
  session.hasStreamed = true;
  const about =
    piece.type === 'tool-input' ? { providerCallId: piece.id, toolName: piece.toolName } : {};
  session.record({ type: 'llm.delta', kind, text, ...about }, turn.turnId, turn.step);
  return backpressure();
}

function toModelRequest(request: ChatRequest, { moment, session }: ModelCall): ModelRequest {
  const { messages, settings, tools, outputSchema } = request;
  // What holds for answers to the user, such as a stop word, is nothing for other texts.
  const own = moment.purpose === 'main' ? session.ports.settings : NO_SETTINGS;
  const both = settings === NO_SETTINGS ? own : { ...own, ...settings };
  const asked = { messages, settings: both, tools };
  return outputSchema === undefined ? asked : { ...asked, outputSchema };
}
