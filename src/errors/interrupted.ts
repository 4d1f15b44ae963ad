import { AgentHooksError } from './base.ts';

/** A turn was cut off by a crash and closed by a later run, which keeps the results that were recorded. */
export class TurnInterruptedError extends AgentHooksError {
  readonly code = 'turn-interrupted';

  /** `isLost`: the message of the turn was not stored yet. */
  constructor(turnId: string, isLost = false) {
    super({
      where: `turn '${turnId}'`,
      what: isLost
        ? 'its process ended before its message was stored'
        : 'its process ended before the turn did, and a new message came',
      fix: isLost
        ? 'Send the message again'
        : 'Nothing to do: recorded results were kept. Call `resume` instead of `run` to go on with such a turn',
    });
    this.name = 'TurnInterruptedError';
  }
}

/** A failure that a stored turn recorded, read in a process where the original error is not at hand. */
export class RecordedError extends AgentHooksError {
  readonly code: string;

  constructor(info: { readonly name: string; readonly code: string; readonly message: string }) {
    super({ where: '', what: '', fix: '' });
    this.name = info.name;
    this.code = info.code;
    this.message = info.message;
  }
}

/** The turn was cancelled. Never the error of a result, whose status says so; `onError` is told of it. */
export class TurnCancelledError extends AgentHooksError {
  readonly code = 'turn-cancelled';

  constructor(turnId: string) {
    super({
      where: `turn '${turnId}'`,
      what: 'it was cancelled',
      fix: 'Nothing to do: what was committed before is kept, and the next message begins a new turn',
    });
    this.name = 'TurnCancelledError';
  }
}
