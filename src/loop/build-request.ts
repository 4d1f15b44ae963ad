import { deepFreeze } from '../internal/deep-freeze.ts';
import type { ChatRequest, ModelSettings } from '../protocol/chat.ts';
import type { Message } from '../protocol/message.ts';
import type { Effect } from './effect.ts';
import type { Session } from './session.ts';

/** What the model reads before a note, so that it is not taken for the user's words. */
const NOTE_HEAD =
  '[A note from the system that runs you, not from the user. Your last answer was not delivered.]';

/**
 * The request of one step: system prompt (`before`), history, the candidate message, a note for this call only. One
 * shallow array per call is all that grows with the thread.
 */
export function buildRequest(
  effect: Extract<Effect, { readonly type: 'judge-request' }>,
  session: Session,
  before: readonly Message[],
): ChatRequest {
  const { tools } = session.ports;
  const after: Message[] = [];
  if (effect.candidate !== undefined) after.push(effect.candidate);
  if (effect.note !== undefined) after.push(noteMessage(effect.note));
  const request: ChatRequest = Object.freeze({
    messages: Object.freeze(session.withHistory(before, after)),
    settings: NO_SETTINGS,
    tools: tools.descriptions,
  });
  if (session.keepsDigests) session.digest.noteLayout(request, before.length, session.messageCount);
  return request;
}

export const NO_SETTINGS: ModelSettings = Object.freeze({});

function noteMessage(note: string): Message {
  return deepFreeze({ role: 'user', content: [{ type: 'text', text: `${NOTE_HEAD}\n${note}` }] });
}
