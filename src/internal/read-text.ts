/** A member of a foreign object as well-formed text; `undefined` for what is no text or cannot be read. Never throws. */
export function readText(value: object, key: string): string | undefined {
  try {
    const text: unknown = Reflect.get(value, key);
    return typeof text === 'string' ? text.toWellFormed() : undefined;
  } catch {
    return undefined;
  }
}
