import { readText } from './read-text.ts';

/** What was thrown, as well-formed texts. The text may hold a secret. */
export interface Thrown {
  /** The name of an error, or the type of what is none. */
  readonly name: string;
  readonly text: string;
}

/** Puts what foreign code threw into words. Never throws, also not for a value that throws when it is looked at. */
export function describeThrown(thrown: unknown): Thrown {
  if (!isError(thrown)) return { name: typeof thrown, text: 'it threw something that is no error' };
  return {
    name: readText(thrown, 'name') ?? 'Error',
    text: readText(thrown, 'message') ?? 'its error has no message that can be read',
  };
}

function isError(value: unknown): value is Error {
  try {
    return value instanceof Error;
  } catch {
    return false;
  }
}
