import { ModelError } from '../errors/model-error.ts';
import type { CancelScope } from '../internal/cancel-scope.ts';
import type { ModelPart, ModelResponse } from '../models/port.ts';
import type { ChatStreamPart, ModelFinish } from '../protocol/chat.ts';

/** What follows a stream while it is read. */
export interface StreamReader {
  readonly cancel: CancelScope;
  /** Hears of each piece. What it returns is waited for before the next piece is asked for. */
  readonly onDelta: (piece: Delta) => Promise<void> | undefined;
  /** Hears of each end, also of one that a stream takes back when it begins again. */
  readonly onFinish?: (result: ModelFinish) => void;
}

/**
 * Gathers a stream into one answer, telling of each piece as it comes. One without an end, or with more after
 * it, is an error. A cancel closes the stream: a model that does not watch its signal is not read any further.
 * `open` gets what to call when the stream begins again: nothing of what came before is part of the answer.
 */
export async function collectStream(
  open: (forget: () => void) => AsyncIterable<ChatStreamPart>,
  { cancel, onDelta, onFinish }: StreamReader,
): Promise<ModelResponse> {
  const answer = new StreamedAnswer();
  const iterator = open(() => answer.forget())[Symbol.asyncIterator]();
  const stop = cancel.onCancel(() => close(iterator));
  try {
    for (;;) {
      const next = await iterator.next();
      // Nobody waits for an answer after the cancel, so what becomes of it is the same.
      if (next.done === true || cancel.cancelled) return answer.whole();
      const piece = answer.take(next.value);
      if (next.value.type === 'finish') onFinish?.(next.value.result);
      const ready = piece && onDelta(piece);
      if (ready !== undefined) await ready;
    }
  } catch (error) {
    close(iterator);
    throw error;
  } finally {
    stop();
  }
}

/** Lets go of a stream. It has nothing left to say: that its end fails or never comes changes nothing. */
function close(iterator: AsyncIterator<ChatStreamPart>): void {
  try {
    Promise.resolve(iterator.return?.()).catch(() => undefined);
  } catch {
    return;
  }
}

/** A piece of something that grows. */
export type Delta = Extract<ChatStreamPart, { readonly text: string }>;

class StreamedAnswer {
  #content: ModelPart[] = [];
  #finish: { readonly result: ModelFinish } | undefined;

  /** Returns the part when it is a piece of something that grows. */
  take(part: ChatStreamPart): Delta | undefined {
    if (this.#finish !== undefined)
      throw unusable('it went on after it had said that it was finished', BROKEN_MODEL);
    switch (part?.type) {
      case 'finish':
        this.#finish = part;
        return undefined;
      case 'tool-call':
      case 'file':
        this.#content.push(part);
        return undefined;
      case 'text':
      case 'reasoning':
      case 'tool-input':
        if (typeof part.text !== 'string')
          throw unusable(`a part of type '${part.type}' has no text`, BROKEN_MODEL);
        if (part.type !== 'tool-input') appendText(this.#content, part);
        return part;
      default:
        throw unusable('a part of it is no ChatStreamPart', BROKEN_MODEL);
    }
  }

  forget(): void {
    this.#content = [];
    this.#finish = undefined;
  }

  whole(): ModelResponse {
    if (this.#finish === undefined)
      throw unusable('it ended without saying that it was finished', CUT_OFF);
    return { ...this.#finish.result, content: this.#content };
  }
}

const BROKEN_MODEL = 'Nothing of the answer was kept; correct the ChatModel that gave it';
const CUT_OFF =
  'The connection was probably cut; nothing of the answer was kept, so send the message again';

function unusable(what: string, fix: string): ModelError {
  return new ModelError('invalid-response', { where: 'model stream', what, fix });
}

function appendText(
  content: ModelPart[],
  part: Extract<ChatStreamPart, { readonly type: 'text' | 'reasoning' }>,
): void {
  const last = content[content.length - 1];
  // What a provider wants back unchanged comes with the last piece of a block, and so ends it.
  if (last?.type !== part.type || last.providerMetadata !== undefined) content.push(part);
  else content[content.length - 1] = { ...last, ...part, text: last.text + part.text };
}
