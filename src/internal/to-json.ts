/** What a value that JSON cannot hold becomes. Every replacement is a readable string, so nothing is lost silently. */
const CYCLE = '[circular]';
const TOO_DEEP = '[too deep]';
const MAX_DEPTH = 200;

/**
 * Turns any value into JSON that survives a store and a provider: BigInt, Date, NaN, functions, symbols and
 * errors become strings, bytes become `{ type: 'bytes', base64 }`, maps and sets become their entries, lone
 * surrogates become U+FFFD, a `__proto__` key is dropped, and what nests deeper than 200 levels is cut. Never throws.
 */
export function toJson(value: unknown): JsonTree {
  return convert(value, new Set());
}

type JsonTree =
  | null
  | boolean
  | number
  | string
  | readonly JsonTree[]
  | { readonly [key: string]: JsonTree };

function convert(value: unknown, path: Set<object>): JsonTree {
  switch (typeof value) {
    case 'string':
      return value.isWellFormed() ? value : value.toWellFormed();
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'undefined':
      return null;
    case 'bigint':
      return value.toString();
    case 'symbol':
      return value.toString();
    case 'function':
      return `[function ${value.name || 'anonymous'}]`;
    default:
      return value ? convertObject(value, path) : null;
  }
}

function convertObject(value: object, path: Set<object>): JsonTree {
  if (path.has(value)) return CYCLE;
  if (path.size >= MAX_DEPTH) return TOO_DEEP;
  const special = convertSpecial(value);
  if (special !== undefined) return special;
  path.add(value);
  try {
    if (Array.isArray(value)) return Array.from(value, (item) => convert(item, path));
    if (value instanceof Map)
      return convertEntries(
        [...value.entries()].map(([k, v]) => [String(k), v]),
        path,
      );
    if (value instanceof Set) return [...value].map((item) => convert(item, path));
    const custom = callToJson(value);
    if (custom !== undefined) return convert(custom.result, path);
    return convertEntries(readEntries(value), path);
  } finally {
    path.delete(value);
  }
}

function convertSpecial(value: object): JsonTree | undefined {
  if (value instanceof Date)
    return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (value instanceof URL || value instanceof RegExp) return String(value);
  if (value instanceof ArrayBuffer) return bytes(new Uint8Array(value));
  if (ArrayBuffer.isView(value))
    return bytes(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
  return undefined;
}

function bytes(data: Uint8Array): JsonTree {
  return { type: 'bytes', base64: Buffer.from(data).toString('base64') };
}

function callToJson(value: object): { result: unknown } | undefined {
  if (!('toJSON' in value) || typeof value.toJSON !== 'function') return undefined;
  try {
    const result: unknown = value.toJSON();
    return result === value ? undefined : { result };
  } catch {
    return { result: '[unreadable]' };
  }
}

function readEntries(value: object): [string, unknown][] {
  return Object.keys(value).map((key) => {
    try {
      return [key, (value as Record<string, unknown>)[key]];
    } catch {
      return [key, '[unreadable]'];
    }
  });
}

function convertEntries(entries: readonly [string, unknown][], path: Set<object>): JsonTree {
  const result: Record<string, JsonTree> = {};
  for (const [key, member] of entries) {
    if (member === undefined || key === '__proto__') continue;
    result[key.toWellFormed()] = convert(member, path);
  }
  return result;
}
