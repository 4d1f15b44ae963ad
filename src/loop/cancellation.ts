import type { LoopEvent } from './event.ts';
import type { Session } from './session.ts';

/** What ends a stored turn; nothing for one that has ended. */
export function cancellation(session: Session): LoopEvent | undefined {
  switch (session.state.phase.name) {
    case 'idle':
    case 'finished':
      return undefined;
    case 'running':
    case 'awaiting-child':
      // What the tools did has to be settled first; a cancelled run starts none of them.
      session.options.cancel.cancel();
      return { type: 'turn.resumed', tick: session.now() };
    default:
      return { type: 'turn.cancelled' };
  }
}
