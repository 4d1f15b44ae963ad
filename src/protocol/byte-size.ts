import type { JsonValue } from './json.ts';

/** Whether a value fits when it is written in UTF-8: a text as it is, anything else as JSON. */
export function fitsBytes(value: JsonValue, bytes: number): boolean {
  // Most results are small, and nothing has to be written to see it.
  if (typeof value === 'string')
    return value.length * 3 <= bytes || Buffer.byteLength(value) <= bytes;
  return leftAtMost(value, bytes) >= 0 || Buffer.byteLength(JSON.stringify(value)) <= bytes;
}

/** The text a value is measured and cut by. */
export function textOf(value: JsonValue): string {
  return (typeof value === 'string' ? value : JSON.stringify(value)).toWellFormed();
}

/** What is certainly left, as every character may have to be escaped. Stops as soon as nothing is. */
function leftAtMost(value: JsonValue, bytes: number): number {
  if (typeof value === 'string') return bytes - value.length * ESCAPED - 2;
  if (typeof value !== 'object' || value === null) return bytes - LONGEST_NUMBER;
  let left = bytes - 2;
  if (Array.isArray(value)) {
    for (const item of value) {
      if (left < 0) return left;
      left = leftAtMost(item, left - 1);
    }
    return left;
  }
  for (const [key, member] of Object.entries(value)) {
    if (left < 0) return left;
    left = leftAtMost(member, left - key.length * ESCAPED - 4);
  }
  return left;
}

const ESCAPED = 6;
const LONGEST_NUMBER = 25;
