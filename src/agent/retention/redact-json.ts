import type { JsonObject, JsonValue } from '../../protocol/json.ts';

/** What a text becomes. Gives a text for every text, or throws. */
export type Redact = (text: string) => string;

/**
 * JSON of which nothing is known: its texts, its numbers as texts, and the keys of its objects. A number stays one unless
 * its text is changed. Where two keys become one, the later ones are numbered, so that nothing is dropped.
 */
export function redactJson(value: JsonValue, redact: Redact): JsonValue {
  if (typeof value === 'string') return redact(value);
  if (typeof value === 'number') return redactNumber(value, redact);
  if (typeof value !== 'object' || value === null) return value;
  if (isList(value)) return value.map((item) => redactJson(item, redact));
  const taken = new Set<string>();
  // Made from entries, as a key may be that of a prototype.
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      freeKey(redact(key), taken),
      redactJson(member, redact),
    ]),
  );
}

/** The values of an object whose keys were chosen by the program. */
export function redactValues(value: JsonObject, redact: Redact): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, redactJson(member, redact)]),
  );
}

export function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function redactNumber(value: number, redact: Redact): JsonValue {
  const text = String(value);
  const redacted = redact(text);
  return redacted === text ? value : redacted;
}

function freeKey(key: string, taken: Set<string>): string {
  let free = key;
  for (let count = 2; taken.has(free); count += 1) free = `${key} (${count})`;
  taken.add(free);
  return free;
}
