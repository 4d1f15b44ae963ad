import { StoreError } from '../errors/store-error.ts';

/** The text a value is stored as. `what` names it in the error for a value that JSON cannot hold. */
export function jsonText(value: unknown, what: string): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (cause) {
    throw notJson(what, cause);
  }
  if (text === undefined) throw notJson(what, undefined);
  return text;
}

function notJson(what: string, cause: unknown): StoreError {
  return new StoreError(
    {
      where: what,
      what: 'the value cannot be written as JSON',
      fix: 'Store plain JSON; nothing of this commit was written',
    },
    { cause },
  );
}
