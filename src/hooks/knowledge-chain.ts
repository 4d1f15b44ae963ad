import type { QueryDecision, ResultsDecision } from '../decisions/knowledge-decision.ts';
import { MAX_QUERY_CHARS } from '../protocol/passage-schema.ts';
import type { KnowledgeQuery, KnowledgeResults } from '../protocol/texts.ts';
import type { ChainSetting, Rewrite } from './chain.ts';
import type { Move } from './entry.ts';
import type { AskedCall } from './gate.ts';
import type { Question } from './record.ts';
import { type Rewriter, VerdictChain } from './verdict-chain.ts';

/**
 * Lets the policies work on a search or on what it found, each on what the one before made of it. They can only
 * rewrite, so no verdict could be bypassed: nobody is asked twice, and the last policy has the last word.
 */
export class KnowledgeChain<Value, Modify extends Move> extends VerdictChain<Value, Modify> {
  protected override readonly rechecks = false;
  readonly #call: AskedCall;

  constructor(
    setting: ChainSetting,
    value: Value,
    about: { readonly call: AskedCall; readonly rewriter: Rewriter<Value, Modify> },
  ) {
    super(setting, value, about.rewriter);
    this.#call = about.call;
  }

  protected override question(recheck: boolean): Question {
    const { callId, toolName } = this.#call;
    return { ...super.question(recheck), callId, toolName };
  }
}

export type ModifyQuery = Extract<QueryDecision, { readonly type: 'modify' }>;
export type ModifyPassages = Extract<ResultsDecision, { readonly type: 'modify' }>;

/** An empty query is legal: nothing is then looked up. */
export function rewriteQuery(
  _value: KnowledgeQuery,
  { query }: ModifyQuery,
): Rewrite<KnowledgeQuery> {
  if (query.length > MAX_QUERY_CHARS)
    return { problem: `query: has more than ${MAX_QUERY_CHARS} characters` };
  return { value: Object.freeze({ query }) };
}

export function rewriteResults(
  { query }: KnowledgeResults,
  { passages }: ModifyPassages,
): Rewrite<KnowledgeResults> {
  return { value: Object.freeze({ query, passages }) };
}
