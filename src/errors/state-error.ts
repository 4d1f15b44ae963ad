import { AgentHooksError, type ErrorText } from './base.ts';

/**
 * `no-schema`: the agent has no `stateSchema`. `unknown-field`: its schema has no such field. `invalid-value`: the
 * schema refuses the value, or it is no plain JSON. `late-write`: the call that writes has its result already.
 * `stored-value`: what is stored of the thread does not fit the schema any more; nothing was run.
 */
export type StateErrorCode =
  | 'no-schema'
  | 'unknown-field'
  | 'invalid-value'
  | 'late-write'
  | 'stored-value';

/** What is wrong with a value, before it is known whom to tell. */
export interface StateProblem {
  readonly code: StateErrorCode;
  readonly what: string;
  readonly fix: string;
}

/**
 * Something was asked of a thread's state that its schema does not allow. The message names fields of the schema and
 * never quotes a value; there is no `cause`, as what a schema throws may quote one.
 */
export class StateError extends AgentHooksError {
  readonly code: StateErrorCode;
  /** The field of the schema it is about; absent for a name the schema does not have. */
  readonly field?: string;

  constructor(code: StateErrorCode, text: ErrorText, field?: string) {
    super(text);
    this.name = 'StateError';
    this.code = code;
    if (field !== undefined) this.field = field;
  }
}
