import { AgentHooksError } from './base.ts';

/**
 * Why the results of a host were refused. `missing`: a call that waits has none; `duplicate`: a call has two;
 * `unknown`: no call that waits has this id; `foreign`: it is of another thread; `invalid-output`: it does not fit the
 * output schema; `unknown-tool`: the agent has no such tool any more, so nothing can check it.
 */
export type ToolResultRefusal =
  | 'missing'
  | 'duplicate'
  | 'unknown'
  | 'foreign'
  | 'invalid-output'
  | 'unknown-tool';

/** Results match the open calls badly. Thrown by `submitToolResults` before anything changed: none of them counts. */
export class ToolResultError extends AgentHooksError {
  readonly code: `tool-result-${ToolResultRefusal}`;
  readonly callId: string;

  constructor(refusal: ToolResultRefusal, callId: string, detail?: string) {
    super({
      where: `the result of call '${callId.slice(0, 80)}'`,
      what: detail ?? WHAT[refusal],
      fix: FIX[refusal],
    });
    this.name = 'ToolResultError';
    this.code = `tool-result-${refusal}`;
    this.callId = callId;
  }
}

const WHAT: Record<ToolResultRefusal, string> = {
  missing: 'there is none, and the thread waits for it',
  duplicate: 'there are two, and a call has one',
  unknown: 'no call of this id waits for one on this thread',
  foreign: 'it is of a call of another thread',
  'invalid-output': 'its output does not fit the output schema of the tool',
  'unknown-tool': 'the agent has no such tool any more, so nothing can check it',
};

const FIX: Record<ToolResultRefusal, string> = {
  missing: 'Submit the results of all calls of `awaiting-tools` at once, failed ones as `error`',
  duplicate: 'Submit one result for each call',
  unknown: 'Take the ids from `result.calls`; `resume` without answers lists them again',
  foreign: 'Submit it to the thread that handed the call out',
  'invalid-output': 'Correct the output, or submit `error` in its place; the call is still open',
  'unknown-tool': 'Give the agent its tool back, or end the turn with `cancel`',
};
