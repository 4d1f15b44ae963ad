/**
 * The path of the first key that would reach a prototype if the value were merged into another object, or
 * `undefined`. For values that are already known to be JSON of a bounded depth.
 */
export function unsafeKey(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const key of Object.keys(value)) {
    if (key === '__proto__') return key;
    // An own member of an object: `value[key]` never reaches a prototype here.
    const member = (value as Readonly<Record<string, unknown>>)[key];
    if (key === 'constructor' && hasPrototypeKey(member)) return `${key}.prototype`;
    const below = unsafeKey(member);
    if (below !== undefined) return `${key}.${below}`;
  }
  return undefined;
}

function hasPrototypeKey(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype');
}
