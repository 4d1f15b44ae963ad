import { nearestName } from '../internal/nearest-name.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import { definitionOf } from './inline-refs.ts';
import {
  isKeyword,
  isRootKeyword,
  isSchemaObject,
  KEYWORD_NAMES,
  subschemas,
} from './schema-keywords.ts';

/** One thing about a schema that a tool's schema cannot have. */
export interface SchemaFinding {
  readonly keyword: string;
  /** The schema it stands in, as in `properties.phone`; empty for the root. */
  readonly at: string;
  /** What to do instead, or what is wrong with it. */
  readonly hint: string;
}

/** All findings as one text: each with its keyword and its place. */
export function describeFindings(findings: readonly SchemaFinding[]): string {
  const lines = [...new Set(findings.map(describe))];
  const rest = lines.length - MAX_LISTED;
  const listed = lines.slice(0, MAX_LISTED).join('; ');
  return rest > 0 ? `${listed}; and ${rest} more` : listed;
}

const MAX_LISTED = 20;

function describe({ keyword, at, hint }: SchemaFinding): string {
  return `\`${keyword}\` at ${at === '' ? 'the root' : `\`${at}\``}: ${hint}`;
}

/** Which of its keywords a tool's schema cannot have, and which stand where they cannot. */
export function keywordFindings(root: JsonObject): readonly SchemaFinding[] {
  const found = Object.keys(root).filter((name) => isKeyword(name) && !isRootKeyword(name));
  return [
    ...found.map((keyword) => ({ keyword, at: '', hint: ROOT_HINT })),
    ...below({ schema: root, at: '' }, new Set()),
  ];
}

const ROOT_HINT = 'the root is one plain object; move this into a property';

interface Placed {
  readonly schema: JsonObject;
  readonly at: string;
}

/** One object may stand in many places, when references to it were written out. */
function below({ schema, at }: Placed, seen: Set<JsonObject>): SchemaFinding[] {
  if (seen.has(schema)) return [];
  seen.add(schema);
  const unknown = Object.keys(schema).filter((name) => !isKeyword(name));
  return [
    ...unknown.map((keyword) => ({ keyword, at, hint: hintFor(keyword) })),
    ...subschemas(schema, at).flatMap((one) =>
      inPlace(one.keyword, one.schema, { at: one.at, seen }),
    ),
  ];
}

function inPlace(
  keyword: string,
  schema: JsonValue,
  { at, seen }: { readonly at: string; readonly seen: Set<JsonObject> },
): SchemaFinding[] {
  if (isSchemaObject(schema)) return below({ schema, at }, seen);
  return typeof schema === 'boolean'
    ? []
    : [
        {
          keyword,
          at,
          hint: Array.isArray(schema) ? LIST_HINT : 'it holds something that is no schema',
        },
      ];
}

const LIST_HINT =
  'it holds a list where one schema stands; the schemas of positions are `prefixItems`';

const HINTS: ReadonlyMap<string, string> = new Map([
  ['definitions', 'use `$defs`'],
  ['$id', 'schemas refer to one another by `$defs` at the root'],
  ['$anchor', 'schemas refer to one another by `$defs` at the root'],
  ['$dynamicRef', 'use `$ref` to a member of `$defs`'],
  ['$dynamicAnchor', 'use `$ref` to a member of `$defs`'],
  ['nullable', "write a list of types with null, as in `type: ['string', 'null']`"],
  ['additionalItems', 'use `prefixItems` for the positions and `items` for the rest'],
  ['unevaluatedItems', 'use `items`'],
  ['unevaluatedProperties', 'use `additionalProperties`'],
  ['dependencies', 'use `anyOf` with one object for each case'],
  ['dependentRequired', 'use `anyOf` with one object for each case'],
  ['dependentSchemas', 'use `anyOf` with one object for each case'],
  ['if', 'use `anyOf` with one object for each case'],
  ['then', 'use `anyOf` with one object for each case'],
  ['else', 'use `anyOf` with one object for each case'],
  ['contentEncoding', 'say it in `description`'],
  ['contentMediaType', 'say it in `description`'],
]);

function hintFor(keyword: string): string {
  const known = HINTS.get(keyword);
  if (known !== undefined) return known;
  const nearest = nearestName(keyword, KEYWORD_NAMES);
  return nearest === undefined
    ? 'no such keyword; a note of your own begins with `x-`'
    : `no such keyword; did you mean \`${nearest}\`?`;
}

const DRAFT = 'https://json-schema.org/draft/2020-12/schema';

/**
 * What is wrong with a schema that people wrote, beside its keywords: references that lead nowhere or in circles,
 * another draft, patterns that are none, and a name that nothing could check.
 */
export function referenceFindings(root: JsonObject): readonly SchemaFinding[] {
  const found: SchemaFinding[] = [];
  if (root['type'] !== 'object')
    found.push({ keyword: 'type', at: '', hint: "it has to be 'object'" });
  visit({ schema: root, at: '' }, (placed) => found.push(...valueFindings(placed, root)));
  return [...found, ...circles(root)];
}

function visit(placed: Placed, look: (placed: Placed) => void): void {
  look(placed);
  for (const { schema, at } of subschemas(placed.schema, placed.at))
    if (isSchemaObject(schema)) visit({ schema, at }, look);
}

function valueFindings({ schema, at }: Placed, root: JsonObject): SchemaFinding[] {
  const { $schema, $ref, pattern, patternProperties, properties, enum: listed } = schema;
  const found: SchemaFinding[] = [];
  const add = (keyword: string, hint: string): unknown => found.push({ keyword, at, hint });
  if ($schema !== undefined && $schema !== DRAFT) add('$schema', `it has to be '${DRAFT}'`);
  if ($ref !== undefined && !leadsSomewhere($ref, root))
    add('$ref', 'it has to point to a member of the `$defs` at the root, as in `#/$defs/Address`');
  const patterns = [
    pattern,
    ...Object.keys(isSchemaObject(patternProperties) ? patternProperties : {}),
  ];
  for (const [index, one] of patterns.entries())
    if (typeof one === 'string' && !isRegex(one))
      add(
        index === 0 ? 'pattern' : 'patternProperties',
        'it is no regular expression with the flag `u`',
      );
  if (isSchemaObject(properties) && Object.hasOwn(properties, '__proto__'))
    add('properties', 'nothing checks a member called `__proto__`; give it another name');
  if (Array.isArray(listed) && listed.length === 0) add('enum', 'it lists no value');
  return found;
}

function leadsSomewhere(ref: JsonValue, root: JsonObject): boolean {
  const name = definitionOf(ref);
  const definitions = root['$defs'];
  return name !== undefined && isSchemaObject(definitions) && Object.hasOwn(definitions, name);
}

function isRegex(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u').source !== '';
  } catch {
    // What cannot be compiled is the finding.
    return false;
  }
}

/** Keywords whose schemas are about the same value: a circle through them alone would check it forever. */
const SAME_VALUE: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf', 'not']);

function circles(root: JsonObject): SchemaFinding[] {
  const definitions = isSchemaObject(root['$defs']) ? root['$defs'] : {};
  const steps = new Map(
    Object.entries(definitions).map(([name, schema]) => [name, sameValueRefs(schema)]),
  );
  return [...steps.keys()]
    .filter((name) => reaches(name, steps))
    .map((name) => ({
      keyword: '$ref',
      at: `$defs.${name}`,
      hint: 'it leads back to itself for the same value',
    }));
}

function sameValueRefs(schema: JsonValue): string[] {
  if (!isSchemaObject(schema)) return [];
  const name = definitionOf(schema['$ref']);
  const nested = subschemas(schema, '').filter(({ keyword }) => SAME_VALUE.has(keyword));
  return [
    ...(name === undefined ? [] : [name]),
    ...nested.flatMap((one) => sameValueRefs(one.schema)),
  ];
}

function reaches(start: string, steps: ReadonlyMap<string, readonly string[]>): boolean {
  const reached = new Set(steps.get(start));
  for (const name of reached) for (const next of steps.get(name) ?? []) reached.add(next);
  return reached.has(start);
}
