const MARKER = Symbol.for('agent-hooks.error');

/** How a message is built: where it happened, what is wrong, and what to do about it. */
export interface ErrorText {
  readonly where: string;
  readonly what: string;
  readonly fix: string;
}

/**
 * The base of every error of this package. `code` never changes between releases; the message says where,
 * what and what to do, and never holds an input, a result or a secret. Recognised by `isInstance` across
 * duplicate copies of the package, where `instanceof` fails. Never thrown itself: see the leaves.
 */
export abstract class AgentHooksError extends Error {
  abstract readonly code: string;

  constructor(text: ErrorText, options?: { readonly cause?: unknown }) {
    super(`${text.where}: ${text.what}. ${text.fix}`, options);
    Object.defineProperty(this, MARKER, { value: true });
  }

  static isInstance(value: unknown): value is AgentHooksError {
    return typeof value === 'object' && value !== null && MARKER in value;
  }
}

/** An error as it is stored with a turn that failed. The cause stays in the process it happened in. */
export interface ErrorInfo {
  readonly name: string;
  readonly code: string;
  readonly message: string;
}

export function errorInfo(error: AgentHooksError): ErrorInfo {
  return { name: error.name, code: error.code, message: error.message };
}
