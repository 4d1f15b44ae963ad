import type { JsonObject, JsonValue } from '../protocol/json.ts';
import { combine } from './merge-schemas.ts';
import { hasType } from './one-type.ts';
import { isSchemaObject, listOf } from './schema-keywords.ts';

/** One part of a plain copy: what stays members of it, and what its description says instead. */
export interface Part {
  readonly members: JsonObject;
  readonly words: readonly string[];
}

export const NO_PART: Part = { members: {}, words: [] };
const ANYTHING_WORDS = 'Any JSON value.';
export const ANYTHING: JsonObject = { description: ANYTHING_WORDS };
/** Null is what a model writes for leaving out, and the check reads it so. */
export const NOTHING: JsonObject = { type: 'null', description: 'Leave this out: no value fits.' };

const KEPT: ReadonlySet<string> = new Set(
  'type title enum required minItems maxItems uniqueItems minLength maxLength'
    .concat(' multipleOf minProperties maxProperties examples deprecated')
    .split(' '),
);
const LIMITS: ReadonlySet<string> = new Set(
  'minimum maximum exclusiveMinimum exclusiveMaximum'.split(' '),
);

/** What the copy has as the schema has it: no note for others than the model, and no limit that is none. */
export function keptMembers(node: JsonObject): JsonObject {
  const kept = Object.entries(node).filter(
    ([keyword, value]) =>
      KEPT.has(keyword) ||
      (LIMITS.has(keyword) && isLimit(value)) ||
      (keyword === 'default' && fits(value, node['type'])),
  );
  const { example } = node;
  const noted = example === undefined || 'examples' in node ? {} : { examples: [example] };
  return { ...Object.fromEntries(kept), ...noted };
}

/** From here on a limit only says how computers keep numbers. */
function isLimit(value: JsonValue): boolean {
  return typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER;
}

/** The default of a schema that transforms is of the type it gives, not of the one it takes. */
function fits(value: JsonValue, type: JsonValue | undefined): boolean {
  return typeof type !== 'string' || hasType(value, type);
}

/** A whole copy as a part of another one. */
export function asPart({ description, ...members }: JsonObject): Part {
  return { members, words: typeof description === 'string' ? [description] : [] };
}

/** Puts a copy together. A part that does not go together with those before it stays apart, under `allOf`. */
export function assembled(node: JsonObject, parts: readonly Part[]): JsonObject {
  const words = typeof node['description'] === 'string' ? [node['description']] : [];
  const apart: JsonObject[] = [];
  let members: JsonObject = {};
  for (const part of parts) {
    const both = combine(members, part.members);
    if (both === undefined) {
      apart.push(described(part.members, part.words));
    } else {
      members = both;
      words.push(...part.words);
    }
  }
  if (apart.length > 0) members = { ...members, allOf: [...listOf(members['allOf']), ...apart] };
  // A part that says nothing by itself does not make the whole say so.
  const told = words.filter((one) => one !== ANYTHING_WORDS);
  const says = told.length > 0 || SAYING.some((keyword) => keyword in members);
  return described(members, says ? told : [ANYTHING_WORDS]);
}

/** A copy without any of these needs words, or it would be empty. */
const SAYING: readonly string[] = ['type', 'enum', 'anyOf', 'allOf'];

function described(members: JsonObject, words: readonly string[]): JsonObject {
  const { type, ...rest } = members;
  const sentences = [...new Set(words.map((one) => one.trim()))].filter((one) => one !== '');
  const last = sentences.length - 1;
  const text = sentences.map((one, index) => (index < last ? closed(one) : one)).join(' ');
  return {
    ...(type !== undefined && { type }),
    ...(text !== '' && { description: text }),
    ...rest,
  };
}

function closed(sentence: string): string {
  return /[.!?:…]$/.test(sentence) ? sentence : `${sentence}.`;
}

/** Without repetitions, and with the choices of a choice in its place. */
export function chosen(choices: readonly JsonObject[]): readonly JsonObject[] {
  const flat = choices.flatMap((choice) =>
    Object.keys(choice).length === 1 ? nested(choice) : [choice],
  );
  return [...new Map(flat.map((choice) => [JSON.stringify(choice), choice])).values()];
}

function nested(choice: JsonObject): readonly JsonObject[] {
  const choices = listOf(choice['anyOf']).filter(isSchemaObject);
  return choices.length === 0 ? [choice] : choices;
}

/** A few words for one position of a list. */
export function labelOf({ description, title, type, enum: listed }: JsonObject): string {
  const said = typeof title === 'string' ? title : description;
  if (typeof said === 'string') return said.replace(/\.$/, '');
  return listed === undefined ? String(type ?? 'one of several') : JSON.stringify(listed);
}
