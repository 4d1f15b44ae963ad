const MAX_DEPTH = 200;

/** True for a tree of plain JSON. Members that are `undefined` are let through: they count as absent. */
export function isJson(value: unknown, depth = 0): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      return Number.isFinite(value);
    case 'object':
      if (value === null) return true;
      if (depth > MAX_DEPTH) return false;
      if (Array.isArray(value)) return value.every((item) => isJson(item, depth + 1));
      return (
        isPlain(value) &&
        Object.values(value).every((member) => member === undefined || isJson(member, depth + 1))
      );
    default:
      return false;
  }
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
