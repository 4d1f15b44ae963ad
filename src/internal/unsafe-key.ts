/**
 * The path of the first key that would reach a prototype if the value were merged into another object, or
 * `undefined`. For values that are already known to be JSON of a bounded depth.
 */
export function unsafeKey(value: unknown, path = ''): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, member] of Object.entries(value)) {
    const here = path === '' ? key : `${path}.${key}`;
    if (key === '__proto__') return here;
    if (key === 'constructor' && hasPrototypeKey(member)) return `${here}.prototype`;
    const found = unsafeKey(member, here);
    if (found !== undefined) return found;
  }
  return undefined;
}

function hasPrototypeKey(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype');
}
