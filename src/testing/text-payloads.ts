import { deepFreeze } from '../internal/deep-freeze.ts';
import type { UserPart } from '../protocol/message.ts';
import type {
  IncomingText,
  KnowledgePassage,
  KnowledgeQuery,
  KnowledgeResults,
  OutgoingText,
  PromptInfo,
  TextWindow,
  TurnStart,
} from '../protocol/texts.ts';

/** The turn the payloads of this kit belong to. Those of a history are `1`, `2` and so on, so no id is there twice. */
export const TURN_ID = 'this-turn';

/** What `onTurnStart` is asked about. Default: the first turn of its thread. */
export function turnStart(overrides: Partial<TurnStart> = {}): TurnStart {
  return deepFreeze({ turnId: TURN_ID, isFirst: true, ...overrides });
}

/** What `onUserMessage` is asked about. The engine never asks about an empty text. */
export function incomingText(text: string, attachments: readonly UserPart[] = []): IncomingText {
  return deepFreeze({ text: text.toWellFormed(), attachments: [...attachments] });
}

/** What `onOutgoingMessage` is asked about. Default: the text that ends the turn. */
export function outgoingText(
  text: string,
  overrides: { readonly isFinal?: boolean } = {},
): OutgoingText {
  return deepFreeze({ text, isFinal: true, ...overrides });
}

/** What `systemPrompt` is told beside the prompt. Default: the prompt of the first step, for `scripted`. */
export function promptInfo(overrides: Partial<PromptInfo> = {}): PromptInfo {
  const facts = { site: 'main', model: 'scripted', threadId: 'thread' } as const;
  return deepFreeze({ ...facts, turnId: TURN_ID, step: 1, ...overrides });
}

/** What `onTextWindow` is asked about. Default: the whole text of an answer that has ended. */
export function textWindow(
  text: string,
  overrides: { readonly before?: string; readonly isFinal?: boolean } = {},
): TextWindow {
  const { before = '', isFinal = true } = overrides;
  return deepFreeze({ text, before, released: before.length, isFinal });
}

/** What `onKnowledgeQuery` is asked about. The engine never asks about an empty query. */
export function knowledgeQuery(query: string): KnowledgeQuery {
  return deepFreeze({ query: query.toWellFormed() });
}

/** What `onKnowledgeResults` is asked about. Passages are given whole, or as texts with the scope and source of this kit. */
export function knowledgeResults(
  query: string,
  passages: readonly (string | KnowledgePassage)[],
): KnowledgeResults {
  return deepFreeze({ query: query.toWellFormed(), passages: passages.map(passageOf) });
}

function passageOf(passage: string | KnowledgePassage, index: number): KnowledgePassage {
  if (typeof passage !== 'string') return { ...passage };
  return { text: passage.toWellFormed(), scope: 'docs', source: `passage-${index + 1}` };
}
