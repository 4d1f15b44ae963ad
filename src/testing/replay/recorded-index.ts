import type { KnowledgeIndex } from '../../knowledge/port.ts';
import { readPassages } from '../../protocol/passage-schema.ts';
import type { KnowledgePassage } from '../../protocol/texts.ts';
import type { RecordedModel } from './recorded-model.ts';
import type { RecordedCall, RecordedTurn } from './recorded-turns.ts';

/** The name of the tool that an agent with an index has. */
export const SEARCH_TOOL = 'search_knowledge';

/** As many as an agent may ask for: the record has no more of them. */
const LIMIT = 50;

/**
 * The index of a record with searches of an agent of this package, so that policies are asked about queries and
 * passages as they are in production. Nothing where another tool has the name, or gave something else.
 */
export function recordedIndex(
  turns: readonly RecordedTurn[],
  model: RecordedModel,
): { readonly index: KnowledgeIndex; readonly limit: number } | undefined {
  const searches = turns.flatMap(({ answers }) => answers.flat()).filter(isSearch);
  if (searches.length === 0 || !searches.every(isReadable)) return undefined;
  const used = new WeakSet<RecordedCall>();
  const search = (query: string): readonly KnowledgePassage[] => {
    const open = model.calls.filter((one) => isSearch(one) && !used.has(one));
    // A policy may have rewritten the query: then it is the next of them.
    const found = open.find(({ call }) => queryOf(call.input) === query) ?? open[0];
    if (found?.result === undefined) return model.endOfRecord();
    used.add(found);
    if (found.result.outcome !== 'succeeded') throw new Error('the recorded search failed');
    return passagesOf(found);
  };
  return { index: { search }, limit: LIMIT };
}

function isSearch({ call }: RecordedCall): boolean {
  return call.toolName === SEARCH_TOOL;
}

function isReadable({ result }: RecordedCall): boolean {
  if (result?.outcome !== 'succeeded') return true;
  return 'passages' in readPassages(fieldOf(result.output, 'passages'));
}

function passagesOf({ result }: RecordedCall): readonly KnowledgePassage[] {
  const read = readPassages(fieldOf(result?.output, 'passages'));
  return 'passages' in read ? read.passages : [];
}

function queryOf(input: unknown): unknown {
  return fieldOf(input, 'query');
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
