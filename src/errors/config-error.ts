import { AgentHooksError, type ErrorText } from './base.ts';

export type ConfigCode =
  | 'unknown-option'
  | 'invalid-option'
  | 'no-hooks'
  /** A class, or the function that makes a policy, where a policy belongs. */
  | 'uncalled-factory'
  | 'unreadable-policy'
  | 'unknown-hook'
  /** A hook that needs more arguments than its point gives. */
  | 'wrong-arity'
  | 'duplicate-policy'
  | 'unnamed-policy'
  | 'duplicate-tool'
  | 'invalid-tool'
  | 'invalid-pattern'
  | 'not-enforced'
  | 'missing-package'
  | 'invalid-input';

/** One mistake in words, before it is known whether it is thrown or listed. */
export interface ConfigProblem extends ErrorText {
  readonly code: ConfigCode;
  /** The member of the policy it is about. */
  readonly member?: string;
}

/** A mistake of the caller, found before anything ran. Thrown, never part of a result. */
export class ConfigError extends AgentHooksError {
  readonly code: ConfigCode;

  constructor(code: ConfigCode, text: ErrorText, options?: { readonly cause?: unknown }) {
    super(text, options);
    this.name = 'ConfigError';
    this.code = code;
  }
}
