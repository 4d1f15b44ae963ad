import { AgentHooksError, errorInfo } from '../errors/base.ts';
import { ModelError } from '../errors/model-error.ts';
import { CancelScope } from '../internal/cancel-scope.ts';
import type { MaybePromise } from '../internal/maybe-promise.ts';
import type { ModelCallOptions, ModelRequest, ModelResponse, ModelRetry } from '../models/port.ts';
import type { ChatRequest, ChatResponse, Usage } from '../protocol/chat.ts';
import { addUsage, NO_USAGE } from '../protocol/usage.ts';
import { assembleResponse } from './assemble-response.ts';
import { NO_SETTINGS } from './build-request.ts';
import { callWrapped, RequestRefused } from './call-wrapped.ts';
import { collectStream, type Delta, type StreamReader } from './collect-stream.ts';
import type { Effect } from './effect.ts';
import type { LoopEvent } from './event.ts';
import type { HeldText, TextStop } from './held-text.ts';
import { holdText } from './judge-text.ts';
import { Bill } from './paid-call.ts';
import { readModelResponse, readPaidUsage } from './read-model-response.ts';
import { retract } from './retract.ts';
import type { Session } from './session.ts';
import type { OpenTurn } from './state.ts';
import { WholePieces } from './whole-pieces.ts';

type CallModel = Extract<Effect, { readonly type: 'call-model' }>;

/**
 * One logical call. A model that answers nothing at all is sent the same request again, a bounded number of
 * times; the policies are not asked again, as nothing changed.
 */
export function callModel(effect: CallModel, session: Session): Promise<LoopEvent> {
  const request = effect.request ?? session.request;
  if (request === undefined)
    throw new TypeError('a model was to be called before its request was built');
  const { turn, attempt: number } = effect;
  const isWrapped = session.gateFor(turn.turnId).has('wrapLlmCall');
  return attempt({ request, turn, attempt: number, session, isWrapped }, 1, NO_USAGE);
}

interface ModelCall {
  readonly request: ChatRequest;
  /** True when policies are around it. */
  readonly isWrapped: boolean;
  readonly turn: OpenTurn;
  readonly attempt: number;
  readonly session: Session;
}

/** `sent`: which attempt it is, from 1. `before`: what those before it have cost. */
function attempt(call: ModelCall, sent: number, before: Usage): Promise<LoopEvent> {
  const { turn, session } = call;
  const started = session.now();
  return send(call, (answer, paid) => {
    if (answer.type === 'cancelled')
      return { type: 'turn.cancelled', usage: addUsage(before, paid) };
    if (answer.type === 'stopped')
      return stopped(answer.stop, session, { turn, usage: addUsage(before, paid) });
    if (answer.type === 'refused')
      return refused(answer, session, { turn, usage: addUsage(before, paid) });
    if (answer.type === 'failed')
      return failure(answer.error, session, { turn, usage: addUsage(before, answer.usage) });
    const usage = addUsage(before, answer.response.usage);
    const response = assembleResponse(answer.response, {
      turn,
      model: session.ports.model.id,
      usage,
      latencyMs: Math.round(session.now() - started),
    });
    if (response.finishReason === 'error')
      return failure(errorFinish(session), session, { turn, usage });
    if (!isEmpty(response)) return { type: 'model.responded', response };
    if (sent > session.ports.emptyRetries)
      return failure(emptyResponse(session, sent), session, { turn, usage });
    retract(session, FAILED, { turn, point: 'model' });
    session.record(
      { type: 'llm.retrying', reason: 'empty-response', attempt: sent + 1, delayMs: 0 },
      turn.turnId,
      turn.step,
    );
    return attempt(call, sent + 1, usage);
  });
}

type Answer =
  | { readonly type: 'cancelled' }
  | { readonly type: 'responded'; readonly response: ModelResponse }
  | { readonly type: 'stopped'; readonly stop: TextStop }
  | RequestRefused
  | { readonly type: 'failed'; readonly error: unknown; readonly usage: Usage };

/** Waits for the model or the cancel, whichever comes first. What comes after a cancel has nobody to hear it. */
function send(
  call: ModelCall,
  take: (answer: Answer, paid: Usage) => MaybePromise<LoopEvent>,
): Promise<LoopEvent> {
  const { model } = call.session.ports;
  const { cancel } = call.session.options;
  return new Promise((resolve, reject) => {
    let open = true;
    const held = holdText(call, {
      stop: (stop) => settle({ type: 'stopped', stop }),
      fail: (error) => settle({ type: 'failed', error, usage: NO_USAGE }),
    });
    const options = new CallOptions(call, held);
    const onCancel = (): void => settle(CANCELLED);
    const settle = (answer: Answer): void => {
      if (!open) return;
      open = false;
      options.end(answer.type);
      cancel.unlisten(onCancel);
      try {
        resolve(take(answer, options.bill?.usage ?? NO_USAGE));
      } catch (error) {
        reject(error);
      }
    };
    cancel.listen(onCancel);
    if (!open) return;
    start(call, options).then(
      (given) => settle(read(given, model.id, options.bill)),
      // What failed attempts have cost comes with the error.
      (error: unknown) => settle(failedWith(error, options.bill)),
    );
  });
}

const CANCELLED: Answer = Object.freeze({ type: 'cancelled' });

/** Where calls are counted one by one, what the last of them has cost is in the sum already. */
function failedWith(error: unknown, bill: Bill | undefined): Answer {
  return { type: 'failed', error, usage: bill?.usage ?? readPaidUsage(error) };
}

/** A model may be anybody's: one that answers at once, or with a promise of its own kind, is waited for like the others. */
function start(call: ModelCall, options: CallOptions): Promise<ModelResponse | RequestRefused> {
  const { turn, session } = call;
  const { model } = session.ports;
  const { streams } = session.options;
  const { bill } = options;
  const toModel = (request: ChatRequest): ModelRequest => toModelRequest(request, session);
  try {
    if (!streams && bill === undefined)
      return Promise.resolve(model.generate(toModel(call.request), options));
    const reader: StreamReader = {
      cancel: options.scope,
      onDelta: (piece) => delta(session, turn, { piece, options }),
    };
    if (bill !== undefined) return callWrapped({ ...call, bill, toModel }, reader);
    const request = toModel(call.request);
    return collectStream((forget) => model.stream(request, options.forStream(forget)), reader);
  } catch (error) {
    return Promise.reject(error);
  }
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

/** Makes the signal and the callback only for a model that reads them. */
class CallOptions implements ModelCallOptions {
  /** A model that begins a stream again tells of it, and what was read, and shown live, is taken back. */
  readonly restarts = true;
  readonly held: HeldText | undefined;
  #pieces: WholePieces | undefined;
  /** What the calls below the policies cost; absent where there are no such policies. */
  readonly bill: Bill | undefined;
  /** What ends the call: a cancel of the run, or a policy that stops the text. */
  readonly scope: CancelScope;
  readonly #call: ModelCall;
  #forget: (() => void) | undefined;
  #hasEnded = false;

  constructor(call: ModelCall, held: HeldText | undefined) {
    this.#call = call;
    this.held = held;
    this.bill = call.isWrapped ? new Bill() : undefined;
    this.scope = held === undefined ? call.session.options.cancel : new CancelScope();
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

  /** A model may go on after its call has ended; nobody hears of that. */
  end(by: Answer['type']): void {
    this.#hasEnded = true;
    this.held?.close();
    if (by === 'stopped' || by === 'cancelled')
      this.scope.cancel(this.#call.session.options.cancel.reason);
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

/** Lets one piece out, and says when the reader is ready for the next. */
function delta(
  session: Session,
  turn: OpenTurn,
  { piece, options }: { readonly piece: Delta; readonly options: CallOptions },
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

function toModelRequest(request: ChatRequest, session: Session): ModelRequest {
  const { messages, settings, tools } = request;
  const own = session.ports.settings;
  const both = settings === NO_SETTINGS ? own : { ...own, ...settings };
  return Object.freeze({ messages, settings: both, tools });
}

/** A policy has ended the answer, or the turn was cancelled while it was asked. */
function stopped(
  stop: TextStop,
  session: Session,
  { turn, usage }: { readonly turn: OpenTurn; readonly usage: Usage },
): LoopEvent {
  retract(session, stop, { turn, point: 'onTextWindow' });
  if (stop.type === 'cancelled') return { type: 'turn.cancelled', usage };
  if (stop.type === 'failed') session.error = stop.error;
  return { type: 'text.stopped', verdict: stop, usage };
}

/** A policy put another request in place, and that one was refused. */
function refused(
  { verdict }: RequestRefused,
  session: Session,
  { turn, usage }: { readonly turn: OpenTurn; readonly usage: Usage },
): LoopEvent {
  retract(session, verdict, { turn, point: 'preLlmRequest' });
  return { type: 'call.refused', verdict, usage };
}

/** What a live reader has seen of an answer that failed does not count. */
function failure(
  error: unknown,
  session: Session,
  { turn, usage }: { readonly turn: OpenTurn; readonly usage: Usage },
): LoopEvent {
  retract(session, FAILED, { turn, point: 'model' });
  const typed = AgentHooksError.isInstance(error)
    ? error
    : new ModelError(
        'model-failed',
        {
          where: `model '${session.ports.model.id}'`,
          what: 'the call failed with an error it does not explain',
          fix: 'See `cause`',
        },
        { cause: error },
      );
  session.error = typed;
  return {
    type: 'model.failed',
    error: typed,
    refused: errorInfo(typed).code === 'refused',
    usage,
  };
}

const FAILED = Object.freeze({ type: 'failed' });

function isEmpty(response: ChatResponse): boolean {
  return (
    response.finishReason !== 'content-filter' &&
    response.content.every(
      (part) => part.type === 'reasoning' || (part.type === 'text' && part.text.trim() === ''),
    )
  );
}

function emptyResponse(session: Session, sent: number): ModelError {
  return new ModelError('empty-response', {
    where: `model '${session.ports.model.id}'`,
    what: `it answered the same request with nothing ${sent} times`,
    fix: 'Nothing of the answer was stored, and the message was; ask on, or use another model',
  });
}

function errorFinish(session: Session): ModelError {
  return new ModelError('model-failed', {
    where: `model '${session.ports.model.id}'`,
    what: 'it ended its answer with an error',
    fix: 'Nothing of the answer was stored, and the message was; ask on',
  });
}
