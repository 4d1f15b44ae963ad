/** Deep equality of two JSON values. A member that is `undefined` counts as absent. */
export function jsonEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, index) => jsonEqual(item, b[index]));
  }
  const left = new Map(Object.entries(a).filter(([, member]) => member !== undefined));
  const right = Object.entries(b).filter(([, member]) => member !== undefined);
  if (left.size !== right.length) return false;
  return right.every(([key, member]) => left.has(key) && jsonEqual(left.get(key), member));
}
