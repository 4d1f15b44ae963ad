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
  if (!gate.has('systemPrompt')) return session.instructions;
  const verdict = gate.systemPrompt(session.ports.instructions, moment);
  if (verdict.type !== 'pass') return verdict;
  if (!verdict.modified) return session.instructions;
  const content = verdict.value;
  return content === '' ? [] : [Object.freeze({ role: 'system', content })];
}
