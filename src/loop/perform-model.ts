import { AgentHooksError, errorInfo } from '../errors/base.ts';
import { ModelError } from '../errors/model-error.ts';
import type { MaybePromise } from '../internal/maybe-promise.ts';
import type { ModelCallOptions, ModelRequest, ModelResponse, ModelRetry } from '../models/port.ts';
import type { ChatRequest, ChatResponse, Usage } from '../protocol/chat.ts';
import { addUsage, NO_USAGE } from '../protocol/usage.ts';
import { assembleResponse } from './assemble-response.ts';
import { NO_SETTINGS } from './build-request.ts';
import { collectStream } from './collect-stream.ts';
import type { Effect } from './effect.ts';
import type { LoopEvent } from './event.ts';
import { readModelResponse, readPaidUsage } from './read-model-response.ts';
import { retract } from './retract.ts';
import type { Session } from './session.ts';
import type { OpenTurn } from './state.ts';

type CallModel = Extract<Effect, { readonly type: 'call-model' }>;

/**
 * One logical call. A model that answers nothing at all is sent the same request again, a bounded number of
 * times; the policies are not asked again, as nothing changed.
 */
export function callModel(effect: CallModel, session: Session): Promise<LoopEvent> {
  const request = toModelRequest(effect.request ?? session.request, session);
  return attempt({ request, turn: effect.turn, session }, 1, NO_USAGE);
}

interface ModelCall {
  readonly request: ModelRequest;
  readonly turn: OpenTurn;
  readonly session: Session;
}

/** `sent`: which attempt it is, from 1. `before`: what those before it have cost. */
function attempt(call: ModelCall, sent: number, before: Usage): Promise<LoopEvent> {
  const { turn, session } = call;
  const started = session.now();
  return send(call, (answer) => {
    if (answer.type === 'cancelled') return { type: 'turn.cancelled', usage: before };
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
  | { readonly type: 'failed'; readonly error: unknown; readonly usage: Usage };

/** Waits for the model or the cancel, whichever comes first. What comes after a cancel has nobody to hear it. */
function send(
  call: ModelCall,
  take: (answer: Answer) => MaybePromise<LoopEvent>,
): Promise<LoopEvent> {
  const { model } = call.session.ports;
  const { cancel } = call.session.options;
  return new Promise((resolve, reject) => {
    let open = true;
    const options = new CallOptions(call);
    const onCancel = (): void => settle(CANCELLED);
    const settle = (answer: Answer): void => {
      if (!open) return;
      open = false;
      options.end();
      cancel.unlisten(onCancel);
      try {
        resolve(take(answer));
      } catch (error) {
        reject(error);
      }
    };
    cancel.listen(onCancel);
    if (!open) return;
    start(call, options).then(
      (given) => settle(read(given, model.id)),
      // What failed attempts have cost comes with the error.
      (error: unknown) => settle({ type: 'failed', error, usage: readPaidUsage(error) }),
    );
  });
}

const CANCELLED: Answer = Object.freeze({ type: 'cancelled' });

/** A model may be anybody's: one that answers at once, or with a promise of its own kind, is waited for like the others. */
function start(
  { request, turn, session }: ModelCall,
  options: CallOptions,
): Promise<ModelResponse> {
  const { model } = session.ports;
  try {
    if (!session.options.streams) return Promise.resolve(model.generate(request, options));
    return collectStream((forget) => model.stream(request, options.forStream(forget)), {
      cancel: session.options.cancel,
      onDelta: (kind, text) => delta(session, turn, { kind, text }),
    });
  } catch (error) {
    return Promise.reject(error);
  }
}

function read(given: unknown, modelId: string): Answer {
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
  readonly #call: ModelCall;
  #forget: (() => void) | undefined;
  #hasEnded = false;

  constructor(call: ModelCall) {
    this.#call = call;
  }

  get signal(): AbortSignal {
    return this.#call.session.options.cancel.signal;
  }

  get onRetry(): (retry: ModelRetry) => void {
    return (retry) => this.#tell(retry);
  }

  forStream(forget: () => void): this {
    this.#forget = forget;
    return this;
  }

  /** A model may go on after its call has ended; nobody hears of that. */
  end(): void {
    this.#hasEnded = true;
  }

  #tell({ attempt, delayMs, reason }: ModelRetry): void {
    const { session, turn } = this.#call;
    if (this.#hasEnded) return;
    this.#forget?.();
    retract(session, FAILED, { turn, point: 'model' });
    session.record({ type: 'llm.retrying', reason, attempt, delayMs }, turn.turnId, turn.step);
  }
}

/** Lets one piece out, and says when the reader is ready for the next. */
function delta(
  session: Session,
  turn: OpenTurn,
  piece: { readonly kind: 'text' | 'reasoning' | 'tool-input'; readonly text: string },
): Promise<void> | undefined {
  const { kind, text } = piece;
  if (!session.options.live || session.options.cancel.cancelled || text === '') return undefined;
  session.hasStreamed = true;
  session.record({ type: 'llm.delta', kind, text }, turn.turnId, turn.step);
  return session.options.backpressure();
}

function toModelRequest(request: ChatRequest | undefined, session: Session): ModelRequest {
  if (request === undefined)
    throw new TypeError('a model was to be called before its request was built');
  const { messages, settings, tools } = request;
  const own = session.ports.settings;
  const both = settings === NO_SETTINGS ? own : { ...own, ...settings };
  return Object.freeze({ messages, settings: both, tools });
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
