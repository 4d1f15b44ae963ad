import { deepFreeze } from '../internal/deep-freeze.ts';
import type { AgentEvent } from './event.ts';

/** Freezes an event for whoever reads it. A decision is flat, and reading its digest here would make it. */
export function freezeEvent(event: AgentEvent): AgentEvent {
  return event.type === 'hook.decided' ? Object.freeze(event) : deepFreeze(event);
}
