import type { SpokenAs } from '../loop/say-value.ts';
import type { JsonObject } from '../protocol/json.ts';
import { formsOf } from '../tools/schema-at.ts';

/** What a text of this schema is, where every form of it says the same. */
export function spokenAs(schema: JsonObject, root: JsonObject): SpokenAs | undefined {
  const forms = formsOf(schema, root)?.filter(({ type }) => type !== 'null') ?? [];
  const kinds = new Set(forms.map(kindOf));
  const [only] = kinds;
  return kinds.size === 1 ? only : undefined;
}

function kindOf({ type, format, enum: values, const: value }: JsonObject): SpokenAs | undefined {
  if (type !== 'string') return undefined;
  if (Array.isArray(values) || typeof value === 'string') return 'choice';
  return typeof format === 'string' ? FORMATS.get(format) : undefined;
}

const FORMATS: ReadonlyMap<string, SpokenAs> = new Map([
  ['date', 'date'],
  ['time', 'time'],
  ['date-time', 'date-time'],
  ['phone', 'phone'],
  ['e164', 'phone'],
]);
