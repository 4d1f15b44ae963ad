import { ToolError } from '../errors/tool-error.ts';
import type { AskedCall, ChainVerdict } from '../hooks/gate.ts';
import { describeThrown } from '../internal/describe-thrown.ts';
import type { KnowledgeIndex } from '../knowledge/port.ts';
import type { Engine } from '../loop/engine-tool.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import { readPassages } from '../protocol/passage-schema.ts';
import type { KnowledgePassage } from '../protocol/texts.ts';
import type { ToolContext } from '../tools/port.ts';

/** How an agent searches. */
export interface KnowledgeSetting {
  readonly index: KnowledgeIndex;
  readonly limit: number;
  readonly minScore: number | undefined;
}

/** What the model reads when a search was not made or its passages were withheld, whatever the reason. */
const NOT_SEARCHED =
  'The knowledge base cannot be searched now, so nothing was found. Do not guess what it says';

const NOTHING_FOUND: JsonObject = Object.freeze({ passages: Object.freeze([]) });

/** The most characters of passages that one result holds: about 5,000 tokens. */
const MAX_RESULT_CHARS = 20_000;
const MAX_LABEL_CHARS = 500;

/**
 * One search: the policies see the query, the index is asked, the policies see the passages, the model reads what
 * they left. A policy that fails where that is closed costs the search, never the turn: the model reads so.
 */
export class KnowledgeRun {
  readonly #setting: KnowledgeSetting;
  readonly #ctx: ToolContext;
  readonly #engine: Engine;
  readonly #call: AskedCall;

  constructor(setting: KnowledgeSetting, ctx: ToolContext, engine: Engine) {
    this.#setting = setting;
    this.#ctx = ctx;
    this.#engine = engine;
    this.#call = { callId: ctx.callId, toolName: ctx.toolName };
  }

  /** Always a promise: what it rejects with once the call was given up is dropped. */
  async search(asked: string): Promise<JsonValue> {
    if (asked.trim() === '') return NOTHING_FOUND;
    const query = await this.#judgeQuery(asked);
    if (query.trim() === '') return NOTHING_FOUND;
    const found = await this.#retrieve(query);
    const passages = await this.#judgeResults(query, found);
    const { callId } = this.#call;
    const shown = fitting(passages);
    this.#engine.record({ type: 'knowledge.found', callId, passages: shown.length });
    const leftOut = passages.length - shown.length;
    return { passages: shown, ...(leftOut > 0 && { leftOut }) };
  }

  async #judgeQuery(query: string): Promise<string> {
    const { gate, moment } = this.#engine;
    if (!gate.has('onKnowledgeQuery')) return query;
    return passed(await gate.knowledgeQuery({ query }, this.#call, moment)).query;
  }

  async #retrieve(query: string): Promise<readonly KnowledgePassage[]> {
    const { signal } = this.#ctx;
    // Nothing is asked for a call that nobody waits for.
    signal.throwIfAborted();
    this.#engine.record({ type: 'knowledge.queried', callId: this.#call.callId, query });
    const found = await this.#ask(query);
    signal.throwIfAborted();
    const { minScore } = this.#setting;
    if (minScore === undefined) return found;
    return found.filter(({ score }) => score !== undefined && score >= minScore);
  }

  async #ask(query: string): Promise<readonly KnowledgePassage[]> {
    const { index, limit } = this.#setting;
    const { signal, context } = this.#ctx;
    try {
      const given: unknown = await index.search(query, Object.freeze({ limit, signal, context }));
      const read = readPassages(Array.isArray(given) ? given.slice(0, limit) : given);
      if ('passages' in read) return read.passages;
    } catch (cause) {
      throw this.#failed(describeThrown(cause).name, { cause });
    }
    throw this.#failed('TypeError', {});
  }

  async #judgeResults(
    query: string,
    passages: readonly KnowledgePassage[],
  ): Promise<readonly KnowledgePassage[]> {
    const { gate, moment } = this.#engine;
    if (!gate.has('onKnowledgeResults')) return passages;
    return passed(await gate.knowledgeResults({ query, passages }, this.#call, moment)).passages;
  }

  /** The model must not read what an index threw, so the record is where it is told of, by the name of its class. */
  #failed(name: string, options: { readonly cause?: unknown }): ToolError {
    this.#engine.record({ type: 'error.raised', code: 'knowledge-failed', name });
    return new ToolError(NOT_SEARCHED, options);
  }
}

/** The value as the policies left it. Only a rewrite is legal at these points, so whatever else came has failed. */
function passed<Value>(verdict: ChainVerdict<Value>): Value {
  if (verdict.type === 'pass') return verdict.value;
  throw new ToolError(NOT_SEARCHED, verdict.type === 'failed' ? { cause: verdict.error } : {});
}

/** What of the passages fits into a result, in their order; a first one that alone is too long is cut. */
function fitting(passages: readonly KnowledgePassage[]): readonly JsonObject[] {
  const shown: JsonObject[] = [];
  let left = MAX_RESULT_CHARS;
  for (const { text, source, scope, score } of passages) {
    if (text.length > left && shown.length > 0) break;
    // Their metadata is for policies: the model has no use for it, and it may name who may read them.
    shown.push({
      text: cut(text, left),
      source: cut(source, MAX_LABEL_CHARS),
      scope: cut(scope, MAX_LABEL_CHARS),
      ...(score !== undefined && { score }),
    });
    left -= text.length;
  }
  return shown;
}

/** Half a character that is left at the end is made whole where the result becomes JSON. */
function cut(text: string, chars: number): string {
  return text.length <= chars ? text : `${text.slice(0, chars)} [cut]`;
}
