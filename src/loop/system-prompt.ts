import type { HookCancelled, HookFailed, Moment } from '../hooks/gate.ts';
import type { Message } from '../protocol/message.ts';
import type { Session } from './session.ts';

/**
 * The agent's system prompt as its policies leave it, in the form a request takes; nothing for an empty one. Of an
 * agent whose policies do not build on it, the same list for every request.
 */
export function systemPrompt(
  session: Session,
  turnId: string,
  moment: Moment,
): readonly Message[] | HookFailed | HookCancelled {
  const gate = session.gateFor(turnId);
  if (!gate.has('systemPrompt')) return filled(session, session.ports.instructions);
  const verdict = gate.systemPrompt(session.ports.instructions, moment);
  if (verdict.type !== 'pass') return verdict;
  return filled(session, verdict.value);
}

/** Placeholders are filled when no policy builds on the prompt any more, so that none is asked about a value of a thread. */
function filled(session: Session, prompt: string): readonly Message[] {
  const content = session.values?.fill(prompt) ?? prompt;
  if (content === session.ports.instructions) return session.instructions;
  return content === '' ? [] : [Object.freeze({ role: 'system', content })];
}

/** Any other prompt of the engine, as the policies leave it. */
export function auxiliaryPrompt(
  session: Session,
  prompt: string,
  about: { readonly turnId: string; readonly moment: Moment; readonly model: string },
): readonly Message[] | HookFailed | HookCancelled {
  const { turnId, moment, model } = about;
  const gate = session.gateFor(turnId);
  if (!gate.has('systemPrompt')) return filled(session, prompt);
  const verdict = gate.systemPrompt(prompt, moment, model);
  return verdict.type === 'pass' ? filled(session, verdict.value) : verdict;
}
