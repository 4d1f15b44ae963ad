import type { JsonObject, JsonValue } from '../protocol/json.ts';

/** Where a path leads in a JSON Schema; or the key that nothing has, and what there is in its place. */
export type SchemaAt =
  | { readonly schema: JsonObject }
  | { readonly stray: string; readonly known: readonly string[] };

/** What stands at a path; `undefined` where the schema does not say what stands there. */
export function schemaAt(root: JsonObject, path: readonly string[]): SchemaAt | undefined {
  let here = root;
  for (const key of path) {
    const found = step(formsOf(here, root), key);
    if (found === undefined || 'stray' in found) return found;
    here = found.schema;
  }
  return { schema: here };
}

/** The forms a value may have, each with one type; `undefined` where the schema may mean anything. */
export function formsOf(
  schema: JsonObject,
  root: JsonObject,
  depth = 0,
): readonly JsonObject[] | undefined {
  if (depth > MAX_DEPTH || UNREAD.some((keyword) => keyword in schema)) return undefined;
  if (typeof schema['$ref'] === 'string') {
    const target = targetOf(schema['$ref'], root);
    return target === undefined ? undefined : formsOf(target, root, depth + 1);
  }
  const choice = schema['anyOf'] ?? schema['oneOf'];
  if (choice !== undefined) {
    const forms = listOf(choice).map((one) =>
      isObject(one) ? formsOf(one, root, depth + 1) : undefined,
    );
    return forms.includes(undefined) ? undefined : forms.flatMap((each) => each ?? []);
  }
  const types = typesOf(schema);
  return types?.map((type) => ({ ...schema, type }));
}

const MAX_DEPTH = 20;

/** What would have to be put together with the rest first. */
const UNREAD: readonly string[] = ['allOf', 'if', 'not', '$dynamicRef'];

/** Every value that a form may have, where those are counted. */
export function valuesOf(form: JsonObject): readonly JsonValue[] | undefined {
  if ('const' in form) return [form['const'] ?? null];
  if (Array.isArray(form['enum'])) return form['enum'];
  if (form['type'] === 'boolean') return [true, false];
  return form['type'] === 'null' ? [null] : undefined;
}

function typesOf(schema: JsonObject): readonly string[] | undefined {
  const { type } = schema;
  if (typeof type === 'string') return [type];
  if (Array.isArray(type)) return type.map(String);
  const values = 'const' in schema ? [schema['const']] : schema['enum'];
  return Array.isArray(values) ? [...new Set(values.map(typeOf))] : undefined;
}

/** The name that JSON Schema has for the type of a value. */
export function typeOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value;
}

function targetOf(ref: string, root: JsonObject): JsonObject | undefined {
  if (ref === '#') return root;
  const name = /^#\/\$defs\/([^/]+)$/.exec(ref)?.[1];
  const defs = root['$defs'];
  const target =
    name !== undefined && isObject(defs) && Object.hasOwn(defs, name) ? defs[name] : undefined;
  return isObject(target) ? target : undefined;
}

/** One key further, in whichever of the forms has it. */
function step(forms: readonly JsonObject[] | undefined, key: string): SchemaAt | undefined {
  if (forms === undefined) return undefined;
  const found: JsonObject[] = [];
  const known: string[] = [];
  for (const form of forms) {
    const member = memberOf(form, key);
    if (member === 'unknown') return undefined;
    if (isObject(member)) found.push(member);
    known.push(...Object.keys(propertiesOf(form)));
  }
  const [only] = found;
  if (only === undefined) return { stray: key, known: [...new Set(known)] };
  return { schema: found.length === 1 ? only : { anyOf: found } };
}

function memberOf(form: JsonObject, key: string): JsonObject | 'unknown' | undefined {
  if (form['type'] === 'array') {
    if (!/^\d+$/.test(key)) return undefined;
    const item = listOf(form['prefixItems'])[Number(key)] ?? form['items'];
    return isObject(item) ? item : 'unknown';
  }
  if (form['type'] !== 'object') return undefined;
  const properties = propertiesOf(form);
  const own = Object.hasOwn(properties, key) ? properties[key] : undefined;
  if (own !== undefined) return isObject(own) ? own : 'unknown';
  if (form['patternProperties'] !== undefined) return 'unknown';
  const rest = form['additionalProperties'];
  if (isObject(rest) && Object.keys(rest).length > 0) return rest;
  const isOpen = rest === true || isObject(rest) || form['properties'] === undefined;
  return isOpen ? 'unknown' : undefined;
}

export function propertiesOf({ properties }: JsonObject): JsonObject {
  return isObject(properties) ? properties : {};
}

export function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
