import { ConfigError } from '../errors/config-error.ts';
import type { ChatRequest, ChatStreamPart } from '../protocol/chat.ts';
import { readStreamPart } from '../protocol/read-stream-part.ts';
import type { ModelWrapAnswer } from './around-answer.ts';
import { type AskedAround, checkNext, closeAsked, gateOf } from './ask-around.ts';
import { settingOf } from './ask-options.ts';

/** The model around which a policy is asked. One that throws has failed. See `chatParts`. */
export type ModelBelow = (
  request: ChatRequest,
) => Iterable<ChatStreamPart> | AsyncIterable<ChatStreamPart>;

/** Puts the policy around one call of a model, as the engine does, and reads it to its end. */
export async function askAroundModel(
  asked: AskedAround,
  request: ChatRequest,
  next: ModelBelow,
): Promise<ModelWrapAnswer> {
  checkNext(next, 'wrapLlmCall', "() => chatParts('Hello')");
  const setting = settingOf(asked.options);
  const { gate } = gateOf('wrapLlmCall', asked, setting);
  const below = new ModelRun(next);
  const wrapped = gate.llmCall(request, (sent) => below.call(sent), setting.moment);
  const parts: ChatStreamPart[] = [];
  let thrown: { readonly error: unknown } | undefined;
  try {
    for await (const part of wrapped.parts) parts.push(part);
  } catch (error) {
    thrown = { error };
  } finally {
    wrapped.close();
    closeAsked(gate, setting);
  }
  if (below.mistake !== undefined) throw below.mistake;
  const { policy, failure } = asked.entry;
  const { calls } = below;
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const said = { policy, point: 'wrapLlmCall', memory: setting.memory(), calls, parts } as const;
  const facts = { ...said, text };
  const { ending } = wrapped;
  switch (ending?.type) {
    case 'failed': {
      const { error } = ending;
      return Object.freeze({ ...facts, type: 'failed', kind: error.kind, error, failure });
    }
    case 'block':
      return Object.freeze({ ...facts, type: 'blocked', reason: ending.reason });
    case 'cancelled':
      return Object.freeze({ ...facts, type: 'cancelled' });
    case undefined:
      if (thrown === undefined) return Object.freeze({ ...facts, type: 'answered' });
      return Object.freeze({ ...facts, type: 'model-failed', error: thrown.error } as const);
  }
}

/** Counts the calls of a model that a test stands in for, and reads what it gives as strictly as the engine. */
class ModelRun {
  readonly calls: ChatRequest[] = [];
  /** What the test does wrong: no policy can make up for it. */
  mistake: ConfigError | undefined;
  readonly #next: ModelBelow;

  constructor(next: ModelBelow) {
    this.#next = next;
  }

  async *call(request: ChatRequest): AsyncGenerator<ChatStreamPart> {
    this.calls.push(request);
    let isFinished = false;
    for await (const given of this.#next(request)) {
      if (isFinished) throw this.#refuse('goes on after its `finish` part');
      const read = readStreamPart(given);
      if ('problem' in read) throw this.#refuse(`gives what is no ChatStreamPart: ${read.problem}`);
      isFinished = read.part.type === 'finish';
      yield read.part;
    }
    if (!isFinished) throw this.#refuse('ends without a `finish` part');
  }

  #refuse(what: string): ConfigError {
    this.mistake = new ConfigError('invalid-input', {
      where: 'ask(…).wrapLlmCall, `next`',
      what: `the model of the test ${what}`,
      fix: "Give the parts of a whole answer, such as `() => chatParts('Hello')`",
    });
    return this.mistake;
  }
}
