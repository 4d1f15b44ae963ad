import { deepFreeze } from '../internal/deep-freeze.ts';
import type { UserPart } from '../protocol/message.ts';
import type { IncomingText, OutgoingText, TextWindow, TurnStart } from '../protocol/texts.ts';

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

/** What `onTextWindow` is asked about. Default: the whole text of an answer that has ended. */
export function textWindow(
  text: string,
  overrides: { readonly before?: string; readonly isFinal?: boolean } = {},
): TextWindow {
  const { before = '', isFinal = true } = overrides;
  return deepFreeze({ text, before, released: before.length, isFinal });
}
