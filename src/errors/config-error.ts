import { AgentHooksError } from './base.ts';

export type ConfigCode =
  | 'unknown-option'
  | 'invalid-option'
  | 'no-hooks'
  | 'unknown-hook'
  | 'duplicate-policy'
  | 'unnamed-policy'
  | 'duplicate-tool'
  | 'invalid-tool'
  | 'invalid-pattern'
  | 'not-enforced'
  | 'missing-package'
  | 'invalid-input';

/** A mistake of the caller, found before anything ran. Thrown, never part of a result. */
export class ConfigError extends AgentHooksError {
  readonly code: ConfigCode;

  constructor(
    code: ConfigCode,
    text: { readonly where: string; readonly what: string; readonly fix: string },
    options?: { readonly cause?: unknown },
  ) {
    super(text, options);
    this.name = 'ConfigError';
    this.code = code;
  }
}
