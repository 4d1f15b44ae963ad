import { MAX_JSON_DEPTH, MAX_JSON_VALUES } from './json-limits.ts';

/**
 * True for a tree of plain JSON within the limits of depth and size. Members that are `undefined` are let
 * through: they count as absent. What cannot be read is no JSON.
 */
export function isJson(value: unknown): boolean {
  try {
    return holdsJson(value, { depth: 0, left: MAX_JSON_VALUES });
  } catch {
    return false;
  }
}

interface Walk {
  depth: number;
  left: number;
}

function holdsJson(value: unknown, walk: Walk): boolean {
  walk.left -= 1;
  if (walk.left < 0) return false;
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      return Number.isFinite(value);
    case 'object':
      return value === null || holdsMembers(value, walk);
    default:
      return false;
  }
}

function holdsMembers(value: object, walk: Walk): boolean {
  if (walk.depth > MAX_JSON_DEPTH) return false;
  walk.depth += 1;
  const fits = Array.isArray(value)
    ? value.every((item) => holdsJson(item, walk))
    : isPlain(value) &&
      Object.values(value).every((member) => member === undefined || holdsJson(member, walk));
  walk.depth -= 1;
  return fits;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
