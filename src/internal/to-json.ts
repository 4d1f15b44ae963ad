import { describeThrown } from './describe-thrown.ts';
import { MAX_JSON_DEPTH, MAX_JSON_VALUES } from './json-limits.ts';
import { readText } from './read-text.ts';

/** What a value that JSON cannot hold becomes. Every replacement is a readable string, so nothing is lost silently. */
const CYCLE = '[circular]';
const TOO_DEEP = '[too deep]';
const TOO_LARGE = '[too large]';
export const UNREADABLE = '[unreadable]';

/**
 * Turns any value into JSON that survives a store and a provider: BigInt, Date, NaN, functions, symbols and
 * errors become strings, bytes become `{ type: 'bytes', base64 }`, maps and sets become their entries, lone
 * surrogates become U+FFFD, a `__proto__` key is dropped. What nests deeper than 200 levels is cut, and so is
 * what follows the 250,000th value, each use of a shared one counted. Never throws.
 */
export function toJson(value: unknown): JsonTree {
  const copy = isCopied(value) ? copyOf(value) : undefined;
  if (copy === undefined) return new Converter().convert(value);
  return isFlat(copy) ? copy : new Converter().convertMembers(value as object, copy); // a plain one
}

/** How many members are looked at before a value is taken for a large one. */
const FEW = 32;

type Members = Readonly<Record<string, unknown>>;

function isCopied(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  try {
    return !Array.isArray(value) && isPlain(value) && !('toJSON' in value);
  } catch {
    return false;
  }
}

/**
 * A copy has the very shape of a plain object, and takes half the room of one that is made member by member. Assigned,
 * as what was read before a member that cannot be read is kept then: nothing is read a second time.
 */
function copyOf(value: object): Members | undefined {
  const copy: Record<string, unknown> = {};
  try {
    Object.assign(copy, value);
  } catch {
    if (!readRest(copy, value)) return undefined;
  }
  // A key `__proto__` has set it.
  if (Object.getPrototypeOf(copy) !== Object.prototype)
    Object.setPrototypeOf(copy, Object.prototype);
  return copy;
}

/** Reads on after the first member that could not be read: the first that is missing. */
function readRest(copy: Record<string, unknown>, value: object): boolean {
  try {
    let hasFailed = false;
    for (const key of Object.keys(value)) {
      if (key === '__proto__' || Object.hasOwn(copy, key)) continue;
      copy[key] = hasFailed ? read(value, key) : UNREADABLE;
      hasFailed = true;
    }
    return true;
  } catch {
    // Whatever has no keys is told of where it stands.
    return false;
  }
}

/** Whether it has few members, and texts and numbers only. */
function isFlat(copy: Members): copy is Readonly<Record<string, string | number | boolean>> {
  let left = FEW;
  for (const key in copy) if (left-- === 0 || !isFlatMember(key, copy[key])) return false;
  return Object.getOwnPropertySymbols(copy).length === 0;
}

function isFlatMember(key: string, member: unknown): boolean {
  if (key === '__proto__' || !key.isWellFormed()) return false;
  if (typeof member === 'string') return member.isWellFormed();
  return typeof member === 'number' ? Number.isFinite(member) : typeof member === 'boolean';
}

type JsonTree =
  | null
  | boolean
  | number
  | string
  | readonly JsonTree[]
  | { readonly [key: string]: JsonTree };

class Converter {
  /** The objects that hold the value at hand. A few, so looking one up costs less than a set. */
  readonly #path: object[] = [];
  /** How many values still fit. */
  #left = MAX_JSON_VALUES;

  convert(value: unknown): JsonTree {
    this.#left -= 1;
    switch (typeof value) {
      case 'string':
        return value.toWellFormed();
      case 'boolean':
        return value;
      case 'number':
        return Number.isFinite(value) ? value : String(value);
      case 'undefined':
        return null;
      case 'bigint':
        return value.toString();
      case 'symbol':
        return value.toString().toWellFormed();
      case 'function':
        return `[function ${readText(value, 'name') || 'anonymous'}]`;
      default:
        return value ? this.#convertObject(value) : null;
    }
  }

  /** Of a plain object, from a copy of it: its members have been read. */
  convertMembers(value: object, copy: Members): JsonTree {
    this.#left -= 1;
    this.#path.push(value);
    return this.#convertKeys(copy);
  }

  #convertObject(value: object): JsonTree {
    if (this.#path.includes(value)) return CYCLE;
    if (this.#path.length >= MAX_JSON_DEPTH) return TOO_DEEP;
    this.#path.push(value);
    try {
      if (Array.isArray(value)) return this.#convertItems(value);
      return (isPlain(value) ? undefined : this.#convertSpecial(value)) ?? this.#convertOwn(value);
    } catch {
      // A proxy may throw wherever it is touched, and so may what only pretends to be a Date.
      return UNREADABLE;
    } finally {
      this.#path.pop();
    }
  }

  #convertSpecial(value: object): JsonTree | undefined {
    if (value instanceof Date)
      return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
    if (value instanceof Error) {
      const { name, text } = describeThrown(value);
      return `${name}: ${text}`;
    }
    if (value instanceof URL || value instanceof RegExp) return String(value).toWellFormed();
    if (value instanceof ArrayBuffer) return bytes(new Uint8Array(value));
    if (ArrayBuffer.isView(value))
      return bytes(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
    if (value instanceof Map) return this.#convertMap(value);
    if (value instanceof Set) return this.#convertItems(value);
    return undefined;
  }

  #convertItems(items: Iterable<unknown>): JsonTree {
    const list: JsonTree[] = [];
    for (const item of items) {
      if (this.#left <= 0) return [...list, TOO_LARGE];
      list.push(this.convert(item));
    }
    return list;
  }

  #convertMap(map: ReadonlyMap<unknown, unknown>): JsonTree {
    const result: Record<string, JsonTree> = {};
    for (const [key, member] of map) if (!this.#put(result, String(key), member)) break;
    return result;
  }

  #convertOwn(value: object): JsonTree {
    if (!('toJSON' in value)) return this.#convertKeys(value);
    const { toJSON } = value;
    if (typeof toJSON !== 'function') return this.#convertKeys(value, { toJSON });
    const given: unknown = toJSON.call(value);
    return given === value ? this.#convertKeys(value, { toJSON }) : this.convert(given);
  }

  /** Of what is known already nothing is read. */
  #convertKeys(value: object, known?: { readonly toJSON: unknown }): JsonTree {
    const result: Record<string, JsonTree> = {};
    for (const key of Object.keys(value)) {
      const member = known !== undefined && key === 'toJSON' ? known.toJSON : read(value, key);
      if (!this.#put(result, key, member)) break;
    }
    return result;
  }

  /** False when nothing more fits. */
  #put(result: Record<string, JsonTree>, key: string, member: unknown): boolean {
    if (member === undefined || key === '__proto__') return true;
    const fits = this.#left > 0;
    setOwn(result, key.toWellFormed(), fits ? this.convert(member) : TOO_LARGE);
    return fits;
  }
}

/** Where an app has frozen `Object.prototype`, no member that is called as one of its own can be assigned. */
function setOwn(result: Record<string, JsonTree>, key: string, value: JsonTree): void {
  if (key in result)
    Object.defineProperty(result, key, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  else result[key] = value;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function bytes(data: Uint8Array): JsonTree {
  return { type: 'bytes', base64: Buffer.from(data).toString('base64') };
}

function read(value: object, key: string): unknown {
  try {
    return Reflect.get(value, key);
  } catch {
    return UNREADABLE;
  }
}
