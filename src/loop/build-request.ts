import { deepFreeze } from '../internal/deep-freeze.ts';
import type { ChatRequest, ModelSettings } from '../protocol/chat.ts';
import type { Message } from '../protocol/message.ts';
import type { AnswerPort } from '../tools/answer-port.ts';
import type { Effect } from './effect.ts';
import { outputOf, takesSchema } from './perform-answer.ts';
import type { Session } from './session.ts';

/** What the model reads before a note, so that it is not taken for the user's words. */
const NOTE_HEAD = 'A note from the system that runs you, not from the user.';
const FEEDBACK_HEAD = 'Your last answer was not delivered.';

/**
 * The request of one step: system prompt, history, the candidate message, and for this call only what policies and
 * notes have to say. One shallow array per call is all that grows with the thread.
 */
export function buildRequest(
  effect: Extract<Effect, { readonly type: 'judge-request' }>,
  session: Session,
  { prompt, notes }: { readonly prompt: readonly Message[]; readonly notes: string | undefined },
): ChatRequest {
  const after: Message[] = [];
  if (effect.candidate !== undefined) after.push(effect.candidate);
  if (effect.note !== undefined || notes !== undefined) after.push(noteMessage(effect.note, notes));
  const messages = Object.freeze(session.history.between(prompt, after));
  const output = outputOf(effect.turn, session);
  const request: ChatRequest =
    output === undefined
      ? Object.freeze({ messages, settings: NO_SETTINGS, tools: session.ports.tools.descriptions })
      : withOutput(messages, output, session);
  if (session.keepsDigests) {
    const { count, upTo } = session.history;
    const before = messages.length - after.length - (count - upTo);
    session.digest.noteLayout(request, { before, from: upTo, count });
  }
  return request;
}

export const NO_SETTINGS: ModelSettings = Object.freeze({});

function withOutput(
  messages: readonly Message[],
  { jsonSchema, descriptions }: AnswerPort,
  session: Session,
): ChatRequest {
  const settings = NO_SETTINGS;
  return Object.freeze(
    takesSchema(session)
      ? { messages, settings, tools: session.ports.tools.descriptions, outputSchema: jsonSchema }
      : { messages, settings, tools: descriptions },
  );
}

function noteMessage(feedback: string | undefined, notes: string | undefined): Message {
  const head = feedback === undefined ? [NOTE_HEAD] : [NOTE_HEAD, FEEDBACK_HEAD];
  const texts = [feedback, notes].filter((text) => text !== undefined);
  const text = `[${head.join(' ')}]\n${texts.join('\n')}`;
  return deepFreeze({ role: 'user', content: [{ type: 'text', text }] });
}
