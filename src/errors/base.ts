import { readText } from '../internal/read-text.ts';

/** Under which an error names its classes, in every copy of the package. */
export const MARKER: unique symbol = Symbol.for('agent-hooks.error');

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
    Object.defineProperty(this, MARKER, { value: classNames(new.target) });
  }

  /** True for an error of this class, or of one that extends it, from any copy of the package. */
  static isInstance<Leaf extends abstract new (...args: never) => unknown>(
    this: Leaf,
    value: unknown,
  ): value is InstanceType<Leaf> {
    if (typeof value !== 'object' || value === null) return false;
    try {
      const names: unknown = Reflect.get(value, MARKER);
      return Array.isArray(names) && names.includes(this.name);
    } catch {
      // What is caught may be anything, and none of ours throws when it is looked at.
      return false;
    }
  }

  /** What a log gets: never the cause, which may hold anything. */
  toJSON(): ErrorInfo {
    return errorInfo(this);
  }
}

/** The class and those it extends, up to the base. */
function classNames(leaf: { readonly name: string }): readonly string[] {
  const names: string[] = [];
  for (
    let each: unknown = leaf;
    typeof each === 'function' && each !== Error;
    each = Object.getPrototypeOf(each)
  ) {
    names.push(each.name);
  }
  return names;
}

/** An error as it is stored with a turn that failed. The cause stays in the process it happened in. */
export interface ErrorInfo {
  readonly name: string;
  readonly code: string;
  readonly message: string;
}

/** Texts, also of an error from another copy of the package whose members are not what they should be. */
export function errorInfo(error: AgentHooksError): ErrorInfo {
  return {
    name: readText(error, 'name') ?? 'AgentHooksError',
    code: readText(error, 'code') ?? 'unknown',
    message: readText(error, 'message') ?? '',
  };
}
