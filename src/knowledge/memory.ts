import MiniSearch from 'minisearch';
import { ConfigError } from '../errors/config-error.ts';
import { readPassages } from '../protocol/passage-schema.ts';
import type { KnowledgePassage } from '../protocol/texts.ts';
import type { KnowledgeIndex } from './port.ts';

/** An index in this process's memory. */
export interface MemoryIndex extends KnowledgeIndex {
  /** How many passages there are. */
  readonly size: number;
  /** Adds passages; a `score` they have means nothing here. Throws `ConfigError` for what is none, and then adds nothing. */
  add(passages: readonly KnowledgePassage[]): void;
  /** Removes every passage of a source, and tells how many there were. */
  remove(source: string): number;
  /**
   * The words of the query, a few letters off or only begun, in any order; the more of them and the rarer, the better.
   * Words are what spaces and punctuation part, and the first 32 count.
   */
  search(query: string, options: { readonly limit: number }): readonly KnowledgePassage[];
}

/**
 * A full-text index for what fits into memory: up to some ten thousand passages of a paragraph or two, where a search
 * takes some 50 milliseconds, at worst a few hundred, and holds up the process meanwhile. The ranking is BM25+ by the package `minisearch`,
 * whose scores have no upper end. Every agent it is given to finds everything. Throws `ConfigError` for a passage that
 * is none.
 *
 * @example
 * const index = memoryIndex([{ text: 'Bags over 23 kg cost 50 €.', scope: 'fares', source: 'fares.md' }]);
 */
export function memoryIndex(passages: readonly KnowledgePassage[] = []): MemoryIndex {
  const index = new SearchedPassages();
  index.add(passages);
  return index;
}

interface Entry {
  readonly id: number;
  readonly text: string;
}

/** A search holds up the whole process, for a time that grows with the words: a model may write any number of them. */
const MAX_WORDS = 32;
const wordsOf: (text: string) => string[] = MiniSearch.getDefault('tokenize');

/**
 * A word that is a fifth wrong is still found, and so is one that was only begun; both count less than the word.
 * Short ones would mean half of the vocabulary.
 */
const SEARCH = {
  fuzzy: (word: string): number | false => (word.length > 4 ? 0.2 : false),
  prefix: (word: string): boolean => word.length > 2,
  tokenize: (query: string): string[] => [...new Set(wordsOf(query))].slice(0, MAX_WORDS),
};

class SearchedPassages implements MemoryIndex {
  readonly #words = new MiniSearch<Entry>({ fields: ['text'], searchOptions: SEARCH });
  readonly #passages = new Map<number, KnowledgePassage>();
  #lastId = 0;

  get size(): number {
    return this.#passages.size;
  }

  add(passages: readonly KnowledgePassage[]): void {
    for (const passage of readAll(passages)) {
      this.#lastId += 1;
      this.#passages.set(this.#lastId, passage);
      this.#words.add({ id: this.#lastId, text: passage.text });
    }
  }

  remove(source: string): number {
    const ids = [...this.#passages].filter(([, passage]) => passage.source === source);
    for (const [id, { text }] of ids) {
      this.#words.remove({ id, text });
      this.#passages.delete(id);
    }
    return ids.length;
  }

  search(query: string, { limit }: { readonly limit: number }): readonly KnowledgePassage[] {
    return this.#words
      .search(query)
      .slice(0, limit)
      .flatMap(({ id, score }) => {
        const passage = this.#passages.get(Number(id));
        return passage === undefined ? [] : [Object.freeze({ ...passage, score })];
      });
  }
}

function readAll(passages: readonly KnowledgePassage[]): readonly KnowledgePassage[] {
  const read = readPassages(passages);
  if ('passages' in read) return read.passages;
  throw new ConfigError('invalid-input', {
    where: 'memoryIndex',
    what: `a passage does not fit: ${read.problem}`,
    fix: 'Give each `text`, `scope` and `source` as texts, and `metadata`, if any, as plain JSON',
  });
}
