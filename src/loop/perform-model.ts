import { AgentHooksError, errorInfo } from '../errors/base.ts';
import { ModelError } from '../errors/model-error.ts';
import type { ModelCallOptions, ModelRequest, ModelResponse } from '../models/port.ts';
import type { ChatRequest, ChatResponse, Usage } from '../protocol/chat.ts';
import { addUsage, NO_USAGE } from '../protocol/usage.ts';
import { assembleResponse } from './assemble-response.ts';
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
export async function callModel(effect: CallModel, session: Session): Promise<LoopEvent> {
  const { turn } = effect;
  const request = toModelRequest(effect.request ?? session.request, session);
  let usage = NO_USAGE;
  for (let sent = 1; ; sent += 1) {
    const started = session.ports.clock.monotonic();
    const answer = await send(request, turn, session);
    if (answer.type === 'cancelled') return { type: 'turn.cancelled', usage };
    if (answer.type === 'failed')
      return failure(answer.error, session, { turn, usage: addUsage(usage, answer.usage) });
    usage = addUsage(usage, answer.response.usage);
    const response = assembleResponse(answer.response, {
      turn,
      model: session.ports.model.id,
      usage,
      latencyMs: Math.round(session.ports.clock.monotonic() - started),
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
  }
}

type Answer =
  | { readonly type: 'cancelled' }
  | { readonly type: 'responded'; readonly response: ModelResponse }
  | { readonly type: 'failed'; readonly error: unknown; readonly usage: Usage };

/** Waits for the model or the cancel, whichever comes first. Never rejects: what comes after a cancel has nobody to hear it. */
function send(request: ModelRequest, turn: OpenTurn, session: Session): Promise<Answer> {
  const { cancel } = session.options;
  if (cancel.cancelled) return Promise.resolve(CANCELLED);
  return new Promise((resolve) => {
    const stop = cancel.onCancel(() => resolve(CANCELLED));
    const settle = (answer: Answer): void => {
      stop();
      resolve(answer);
    };
    start(request, turn, session).then(
      (given) => settle(read(given, session.ports.model.id)),
      (error: unknown) => settle({ type: 'failed', error, usage: NO_USAGE }),
    );
  });
}

const CANCELLED: Answer = Object.freeze({ type: 'cancelled' });

/** A model may be anybody's: one that answers at once, or with a promise of its own kind, is waited for like the others. */
function start(request: ModelRequest, turn: OpenTurn, session: Session): Promise<ModelResponse> {
  const { model } = session.ports;
  const options = new CallOptions(session);
  try {
    if (!session.options.streams) return Promise.resolve(model.generate(request, options));
    return collectStream(model.stream(request, options), {
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

/** Makes the signal only for a model that reads it. */
class CallOptions implements ModelCallOptions {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  get signal(): AbortSignal {
    return this.#session.options.cancel.signal;
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
  return Object.freeze({ messages, settings: { ...session.ports.settings, ...settings }, tools });
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
