import {
  type AgentEvent,
  type AgentHooks,
  type KnowledgeIndex,
  type KnowledgePassage,
  type KnowledgeSearch,
  type Message,
  scriptedModel,
  toolResultsOf,
} from '../../src/index.ts';
import type { Mode, Scene } from './play.ts';
import { play } from './play.ts';

const NOT_SEARCHED_WORDS =
  'The knowledge base cannot be searched now, so nothing was found. Do not guess what it says. Do not claim success.';

/** What a model reads in the place of passages that were not looked up. */
export const NOT_SEARCHED = { error: NOT_SEARCHED_WORDS };

export const HANDBOOK: readonly KnowledgePassage[] = [
  { text: 'Tickets can be given back for 24 hours.', scope: 'public', source: 'a.md', score: 0.9 },
  { text: 'Bags over 23 kg cost 50 euros.', scope: 'public', source: 'b.md', score: 0.5 },
  { text: 'The pilot is called Ann.', scope: 'staff', source: 'c.md', score: 0.1 },
];

/** An index that notes what it was asked. */
export class Library implements KnowledgeIndex {
  readonly queries: string[] = [];
  readonly options: KnowledgeSearch[] = [];
  readonly #answer: (query: string, options: KnowledgeSearch) => unknown;

  constructor(answer: (query: string, options: KnowledgeSearch) => unknown = () => HANDBOOK) {
    this.#answer = answer;
  }

  search(query: string, options: KnowledgeSearch): readonly KnowledgePassage[] {
    this.queries.push(query);
    this.options.push(options);
    // An index of an app may give anything.
    return this.#answer(query, options) as readonly KnowledgePassage[];
  }
}

export const lookUp = (query: string) => ({ name: 'search_knowledge', input: { query } });

/** One search and an answer. */
export async function ask(
  mode: Mode,
  hooks: readonly AgentHooks[],
  options: {
    readonly index?: Library;
    readonly query?: string;
    readonly more?: Partial<Scene>;
    readonly signal?: AbortSignal;
  } = {},
) {
  const { index = new Library(), query = '42', more, signal } = options;
  const model = scriptedModel([{ toolCalls: [lookUp(query)] }, 'That is it.']);
  const scene = { model, knowledge: index, hooks, ...more };
  const played = await play(mode, scene, signal === undefined ? {} : { signal });
  const stored = await played.store.readMessages('t');
  return { ...played, index, model, stored, found: foundIn(stored) };
}

/** How the history holds the first search. */
export function foundIn(messages: readonly Message[]) {
  const [first] = messages.flatMap(toolResultsOf);
  return { outcome: first?.outcome, isError: first?.isError, output: first?.output };
}

/** What the model reads of these passages. */
export function shown(...passages: readonly KnowledgePassage[]) {
  return { passages: passages.map(({ metadata: _metadata, ...passage }) => passage) };
}

export function ofType<Type extends AgentEvent['type']>(
  events: readonly AgentEvent[],
  type: Type,
): Extract<AgentEvent, { readonly type: Type }>[] {
  return events.filter(
    (event): event is Extract<AgentEvent, { readonly type: Type }> => event.type === type,
  );
}
