import type { JsonValue } from '../../protocol/json.ts';
import type { Atoms } from './schema-values.ts';
import type { Arbitrary } from './texts.ts';

/** What says who, where and what kind: another value there is another question, not a variation. */
const FIXED: ReadonlySet<string> = new Set([
  'callId',
  'providerCallId',
  'toolName',
  'displayName',
  'tier',
  'sideEffects',
  'role',
  'type',
  'turnId',
  'mediaType',
  'outcome',
  'finishReason',
  'released',
  'batch',
  'approval',
  'usage',
]);

/** The value, and such with other texts and numbers in it. */
export function varied(
  atoms: Pick<Atoms, 'fc' | 'texts' | 'numbers'>,
  value: JsonValue | undefined,
): Arbitrary<JsonValue> {
  const { fc, texts, numbers } = atoms;
  if (typeof value === 'string')
    return fc.oneof({ arbitrary: fc.constant(value), weight: 2 }, { arbitrary: texts, weight: 1 });
  if (typeof value === 'number')
    return fc.oneof(
      { arbitrary: fc.constant(value), weight: 2 },
      { arbitrary: numbers, weight: 1 },
    );
  if (Array.isArray(value)) return fc.tuple(...value.map((item) => varied(atoms, item)));
  if (typeof value !== 'object' || value === null) return fc.constant(value ?? null);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  const model = members.map(([key, member]): [string, Arbitrary<JsonValue>] => [
    key,
    FIXED.has(key) ? fc.constant(member ?? null) : varied(atoms, member),
  ]);
  return fc.record(Object.fromEntries(model), { noNullPrototype: true });
}

/** The value with another text in the place of every text that may vary. */
export function mapTexts(value: JsonValue, change: (text: string) => string): JsonValue {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item: JsonValue) => mapTexts(item, change));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([key, member]): [string, JsonValue] => [
    key,
    FIXED.has(key) ? (member ?? null) : mapTexts(member ?? null, change),
  ]);
  return Object.fromEntries(members);
}
