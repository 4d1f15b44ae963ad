import { AgentHooksError } from './base.ts';

/** The loop met an event its state has no answer to: a fault of this package, never of the caller. */
export class IllegalTransitionError extends AgentHooksError {
  readonly code = 'illegal-transition';

  constructor(phase: string, event: string) {
    super({
      where: `loop in phase '${phase}'`,
      what: `the event '${event}' is not possible here`,
      fix: 'This is a fault of agent-hooks; please report it with both names',
    });
    this.name = 'IllegalTransitionError';
  }
}
