import { setTimeout as sleep } from 'node:timers/promises';
import { checkKeys } from '../errors/check-keys.ts';
import { ModelError } from '../errors/model-error.ts';
import { isThenable } from '../internal/is-thenable.ts';
import type { MaybePromise } from '../internal/maybe-promise.ts';
import { toJson } from '../internal/to-json.ts';
import type { ChatStreamPart, FinishReason, ModelToolCall, Usage } from '../protocol/chat.ts';
import type {
  ChatModel,
  ModelCallOptions,
  ModelCapabilities,
  ModelPart,
  ModelRequest,
  ModelResponse,
} from './port.ts';
import { requestProblem } from './request-problem.ts';

/** One answer of a script: a text, a detailed answer, or an error that the call fails with. */
export type ScriptedAnswer = string | ScriptedResponse | Error;

export interface ScriptedResponse {
  readonly text?: string;
  /** The text in exactly these pieces when it is streamed, however they cut its characters; instead of `text`. */
  readonly pieces?: readonly string[];
  readonly reasoning?: string;
  readonly toolCalls?: readonly ScriptedToolCall[];
  /** Default: `tool-calls` when there are any, else `stop`. */
  readonly finishReason?: FinishReason;
  /** Default: 10 tokens in, 20 out. */
  readonly usage?: Usage;
}

export interface ScriptedToolCall {
  readonly name: string;
  /** Default: `{}`. */
  readonly input?: unknown;
  /** The arguments exactly as the model writes them, faulty ones included; instead of `input`. */
  readonly inputText?: string;
  /** What the provider calls it. Default: `call_1`, `call_2` and so on, over all answers. */
  readonly id?: string;
}

/** An answer, or a function that makes one when its call comes. */
export type ScriptEntry =
  | ScriptedAnswer
  | ((request: ModelRequest) => ScriptedAnswer | PromiseLike<ScriptedAnswer>);

export interface ScriptedModelOptions {
  /** Default: `scripted`. */
  readonly id?: string;
  /** Characters in one piece of a streamed text. Default: 24. */
  readonly chunkSize?: number;
  /** Milliseconds before an answer, and before each piece of a streamed one. Default: none. */
  readonly delayMs?: number;
  /** Refuse what a real provider would refuse, such as a tool call without a result. Default: false. */
  readonly strict?: boolean;
  /** Default: none, so that a final answer with a schema is asked for as a call of `final_answer`. */
  readonly capabilities?: ModelCapabilities;
}

/** A model that answers from a script. `requests` holds every request it was given, in order. */
export interface ScriptedModel extends ChatModel {
  readonly requests: readonly ModelRequest[];
  readonly calls: number;
  /**
   * Throws an `AssertionError` unless every entry of the script was used and no call found the script at its end or,
   * with `strict`, was refused: also where a policy or `onError` has made up for the failure. Says which.
   */
  assertComplete(): void;
}

const OPTIONS = Object.keys({
  id: true,
  chunkSize: true,
  delayMs: true,
  strict: true,
  capabilities: true,
} satisfies Record<keyof ScriptedModelOptions, true>);

const USAGE: Usage = Object.freeze({ inputTokens: 10, outputTokens: 20 });

/**
 * Answers the first call with the first entry, and so on; a call after the last one fails with a
 * `script-exhausted` ModelError. For tests, demos and examples that need no key.
 */
export function scriptedModel(
  script: readonly ScriptEntry[],
  options: ScriptedModelOptions = {},
): ScriptedModel {
  checkKeys('scriptedModel', options, OPTIONS);
  return new Scripted(script, options);
}

/** An answer, and where its text is cut when it is streamed. */
type Written = ModelResponse & { readonly cuts: readonly string[] | undefined };

class Scripted implements ScriptedModel {
  readonly id: string;
  readonly capabilities: ModelCapabilities;
  readonly requests: ModelRequest[] = [];
  readonly #script: readonly ScriptEntry[];
  readonly #options: ScriptedModelOptions;
  readonly #refused: string[] = [];
  #toolCalls = 0;

  constructor(script: readonly ScriptEntry[], options: ScriptedModelOptions) {
    this.id = options.id ?? 'scripted';
    this.capabilities = options.capabilities ?? {};
    this.#script = [...script];
    this.#options = options;
  }

  get calls(): number {
    return this.requests.length;
  }

  async generate(request: ModelRequest, options: ModelCallOptions): Promise<ModelResponse> {
    options.signal.throwIfAborted();
    const answer = this.#answer(request);
    const { cuts: _cuts, ...response } = isThenable(answer) ? await answer : answer;
    if (this.#options.delayMs !== undefined) await wait(this.#options.delayMs, options.signal);
    return response;
  }

  async *stream(
    request: ModelRequest,
    { signal }: ModelCallOptions,
  ): AsyncGenerator<ChatStreamPart> {
    signal.throwIfAborted();
    const { chunkSize = 24, delayMs } = this.#options;
    const { content, cuts, ...finish } = await this.#answer(request);
    for (const part of content) {
      for (const piece of pieces(part, chunkSize, cuts)) {
        if (delayMs !== undefined) await wait(delayMs, signal);
        signal.throwIfAborted();
        yield piece;
      }
    }
    yield { type: 'finish', result: finish };
  }

  assertComplete(): void {
    const message = incompleteness(this.id, this.#script, this.calls) ?? this.#refused[0];
    if (message === undefined) return;
    // Not imported: only a test that fails comes here, and loading that module takes time and 2 MB of every process.
    const { AssertionError } = process.getBuiltinModule('node:assert');
    throw new AssertionError({ message, stackStartFn: this.assertComplete });
  }

  #answer(request: ModelRequest): MaybePromise<Written> {
    const entry = this.#script[this.requests.length];
    this.requests.push(request);
    if (this.#options.strict === true) this.#refuseInvalid(request);
    if (entry === undefined) throw this.#exhausted();
    const answer = typeof entry === 'function' ? entry(request) : entry;
    return isThenable(answer)
      ? Promise.resolve(answer).then((late) => this.#settle(late))
      : this.#settle(answer);
  }

  #settle(answer: ScriptedAnswer): Written {
    if (answer instanceof Error) throw answer;
    return this.#response(typeof answer === 'string' ? { text: answer } : answer);
  }

  #refuseInvalid(request: ModelRequest): void {
    const problem = requestProblem(request);
    if (problem === undefined) return;
    this.#refused.push(`model '${this.id}' refused call ${this.calls}: ${problem}`);
    throw new ModelError('invalid-request', {
      where: `model '${this.id}', call ${this.calls}`,
      what: problem,
      fix: 'A real provider refuses this request too: correct the messages or the tools',
    });
  }

  #exhausted(): ModelError {
    const entries = this.#script.length;
    return new ModelError('script-exhausted', {
      where: `model '${this.id}'`,
      what: `the script has ${entries} ${entries === 1 ? 'entry' : 'entries'}, and this is call ${this.calls}`,
      fix: 'Add an entry for each model call, or find out why there is one call more',
    });
  }

  #response(answer: ScriptedResponse): Written {
    const content: ModelPart[] = [];
    const text = answer.pieces?.join('') ?? answer.text;
    if (answer.reasoning !== undefined) content.push({ type: 'reasoning', text: answer.reasoning });
    if (text !== undefined) content.push({ type: 'text', text });
    for (const call of answer.toolCalls ?? [])
      content.push({ type: 'tool-call', call: this.#call(call) });
    const asksForTools = (answer.toolCalls ?? []).length > 0;
    return {
      id: `msg_${this.calls}`,
      model: this.id,
      content,
      finishReason: answer.finishReason ?? (asksForTools ? 'tool-calls' : 'stop'),
      usage: answer.usage ?? USAGE,
      cuts: answer.pieces,
    };
  }

  #call({ name, input, inputText, id }: ScriptedToolCall): ModelToolCall {
    this.#toolCalls += 1;
    return {
      id: id ?? `call_${this.#toolCalls}`,
      toolName: name,
      inputText: inputText ?? JSON.stringify(toJson(input ?? {})),
    };
  }
}

/** Ends with the reason of the cancel, as a provider's client does, and not with the timer's own error. */
async function wait(delayMs: number, signal: AbortSignal): Promise<void> {
  await sleep(delayMs, undefined, { signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw error;
  });
}

/** What speaks against a script that was played to its end, and no further. */
function incompleteness(
  id: string,
  script: readonly ScriptEntry[],
  calls: number,
): string | undefined {
  const count = `the script of model '${id}' has ${script.length} ${script.length === 1 ? 'entry' : 'entries'}`;
  const next = script[calls];
  if (next !== undefined) {
    const unused = script.length - calls;
    const others = unused === 1 ? '' : `, and ${unused - 1} after it`;
    return `${count}, and ${calls} ${calls === 1 ? 'was' : 'were'} used: entry ${calls + 1} (${sketch(next)}) was never asked for${others}`;
  }
  return calls > script.length
    ? `${count}, and there were ${calls} calls: call ${script.length + 1} found no entry`
    : undefined;
}

/** An entry in a few words, to find it in the script. */
function sketch(entry: ScriptEntry): string {
  if (typeof entry === 'function') return 'a function';
  if (entry instanceof Error) return `the error ${entry.name}`;
  const answer: ScriptedResponse = typeof entry === 'string' ? { text: entry } : entry;
  const { text, pieces: written, toolCalls = [] } = answer;
  const calls = toolCalls.map(({ name }) => `a call of '${name}'`);
  const said = written?.join('') ?? text;
  const words =
    said === undefined ? [] : [JSON.stringify(said.length > 40 ? `${said.slice(0, 39)}…` : said)];
  return [...words, ...calls].join(', ') || 'an empty answer';
}

function* pieces(
  part: ModelPart,
  size: number,
  cuts: readonly string[] | undefined,
): Generator<ChatStreamPart> {
  if (part.type === 'tool-call') {
    const { id, toolName, inputText } = part.call;
    for (const text of cut(inputText, size)) yield { type: 'tool-input', id, toolName, text };
    yield part;
  } else if (part.type !== 'file') {
    const texts = part.type === 'text' ? (cuts ?? cut(part.text, size)) : cut(part.text, size);
    for (const text of texts) yield { type: part.type, text };
  }
}

/** By code points, so that no piece ends within a character. */
function cut(text: string, size: number): string[] {
  const step = Math.max(1, size);
  if (text.length <= step) return text === '' ? [] : [text];
  const characters = [...text];
  return Array.from({ length: Math.ceil(characters.length / step) }, (_, index) =>
    characters.slice(index * step, (index + 1) * step).join(''),
  );
}
