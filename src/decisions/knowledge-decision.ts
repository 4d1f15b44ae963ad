import type { KnowledgePassage } from '../protocol/texts.ts';
import { type Keep, keep, type Proceed, proceed } from './shared-moves.ts';

interface ModifyQuery {
  readonly type: 'modify';
  readonly query: string;
}

/** What a policy may say to a search before it runs. */
export type QueryDecision = Proceed | ModifyQuery;

export const QueryDecision: {
  readonly proceed: () => Proceed;
  readonly modify: (query: string) => ModifyQuery;
} = Object.freeze({
  proceed,
  modify: (query: string): ModifyQuery => Object.freeze({ type: 'modify', query }),
});

interface ModifyPassages {
  readonly type: 'modify';
  readonly passages: readonly KnowledgePassage[];
}

/** What a policy may say to the passages a search found: filter, reorder, rewrite, or none at all. */
export type ResultsDecision = Keep | ModifyPassages;

export const ResultsDecision: {
  readonly keep: () => Keep;
  readonly modify: (passages: readonly KnowledgePassage[]) => ModifyPassages;
} = Object.freeze({
  keep,
  modify: (passages: readonly KnowledgePassage[]): ModifyPassages =>
    Object.freeze({ type: 'modify', passages }),
});
