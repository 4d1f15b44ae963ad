import * as z from 'zod';
import { ConfigError } from '../errors/config-error.ts';
import type { StateProblem } from '../errors/state-error.ts';
import { deepFreeze } from '../internal/deep-freeze.ts';
import { describeThrown } from '../internal/describe-thrown.ts';
import { isJson } from '../internal/is-json.ts';
import { isThenable } from '../internal/is-thenable.ts';
import { toJson } from '../internal/to-json.ts';
import { unsafeKey } from '../internal/unsafe-key.ts';
import type { StatePort } from '../loop/state-port.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import { isZod, parseWith, type SchemaIssue, type ToolSchema } from '../tools/schema.ts';
import { schemaAt } from '../tools/schema-at.ts';

type Field = z.core.$ZodType & ToolSchema;
type Checked = ReturnType<StatePort['check']>;

/** The schema of a thread's state, and what its placeholders may name. */
export interface StateSchema extends StatePort {
  /** False for a path that leads to nothing the schema knows. */
  readonly has: (path: readonly string[]) => boolean;
  /** What a field takes, as JSON Schema. Asked for fields only. */
  readonly jsonSchema: (field: string) => JsonObject;
}

/** What a placeholder begins with that is no field. */
const RESERVED: readonly string[] = ['session', 'result'];

/** Reads a `stateSchema`. Throws `ConfigError` for one whose values could not be stored and read back as they are. */
export function readStateSchema(schema: unknown): StateSchema {
  const shape = shapeOf(schema);
  const fields = Object.keys(shape);
  const defaults: Record<string, JsonValue> = {};
  for (const name of fields) {
    const value = checkField(name, shape[name] as Field); // the key is its own
    if (value !== undefined) defaults[name] = value;
  }
  return Object.freeze({
    fields: Object.freeze(fields),
    defaults: deepFreeze(defaults),
    check: (name: string, value: unknown) => checkValue(shape[name] as Field, value), // asked for fields only
    jsonSchema: (name: string) => jsonSchemaOf(shape[name] as Field), // asked for fields only
    describe: ([name = '', ...keys]: readonly string[]) =>
      Object.hasOwn(shape, name) ? describedAt(shape[name] as Field, keys) : undefined,
    has: ([name = '', ...keys]: readonly string[]) =>
      Object.hasOwn(shape, name) && leadsTo(shape[name] as Field, keys),
  });
}

function shapeOf(schema: unknown): Readonly<Record<string, unknown>> {
  const isSchema = typeof schema === 'object' && schema !== null && isZod(schema);
  // Every schema of zod is one of these; the base class only hides which.
  const def = isSchema ? (schema as z.core.$ZodTypes)._zod.def : undefined;
  if (def?.type !== 'object') {
    throw problem('it is no object schema of zod 4', 'Pass `z.object({ field: schema, ... })`');
  }
  if (def.checks !== undefined && def.checks.length > 0) {
    const fix = 'Put each rule on the field it is about: fields are set one at a time';
    throw problem('it has rules over all of its fields, which nothing would check', fix);
  }
  return def.shape;
}

/** What a field that is not set holds. Asked once: a default that is made anew each time would not be a value of the thread. */
function checkField(name: string, field: Field): JsonValue | undefined {
  if (!/^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(name) || name in {} || RESERVED.includes(name)) {
    const what = `the field '${name.slice(0, 80)}' has a name that every object has, that is reserved, or that no placeholder could hold`;
    throw problem(what, 'Use another name, of letters, digits and `_`');
  }
  checkStorable(name, field);
  const unset = parse(field, undefined);
  if ('code' in unset) {
    const what = `the field '${name}' has no value to begin with`;
    throw problem(what, 'Give it `.default(...)` or `.optional()`');
  }
  if (unset.value === undefined) return undefined;
  const checked = checkValue(field, unset.value);
  if ('value' in checked) return checked.value;
  throw problem(`the default of the field '${name}' is no value it accepts`, 'Pass one it accepts');
}

/** What is stored is read by the same schema again, so it must not be turned into something else. */
function checkStorable(name: string, field: Field): void {
  let changes: string | undefined;
  try {
    z.toJSONSchema(field, {
      io: 'output',
      override: ({ zodSchema }) => {
        const { type } = zodSchema._zod.def;
        if (type === 'pipe' || type === 'transform') changes = type;
      },
    });
  } catch {
    changes = 'type that JSON does not have';
  }
  if (changes === undefined) return;
  const what = `the field '${name}' holds a ${changes}, so what is stored could not be read back`;
  throw problem(what, 'Keep plain JSON there, and turn it into what you need where you read it');
}

/** What JSON has no type for was refused before; `any` stands for what it cannot say. */
function jsonSchemaOf(field: Field): JsonObject {
  return z.toJSONSchema(field, { io: 'input', unrepresentable: 'any' }) as JsonObject; // A JSON Schema is JSON.
}

function describedAt(field: Field, keys: readonly string[]): string | undefined {
  const root = jsonSchemaOf(field);
  const found = schemaAt(root, keys);
  const description = found !== undefined && 'schema' in found && found.schema['description'];
  return typeof description === 'string' ? description : undefined;
}

function checkValue(field: Field, value: unknown): Checked {
  if (!isJson(value) || unsafeKey(value) !== undefined) {
    return invalid('the value is not plain JSON', 'Pass plain JSON');
  }
  const parsed = parse(field, toJson(value));
  if ('code' in parsed) return parsed;
  if (!isJson(parsed.value)) return invalid('its schema made no JSON of it', 'Keep plain JSON');
  return { value: deepFreeze(toJson(parsed.value)) };
}

/** Nothing of the value or of what a schema says about it is in the problem: both may be a secret. */
function parse(field: Field, value: unknown): { readonly value: unknown } | StateProblem {
  try {
    const result = parseWith(field, value);
    if (isThenable(result)) {
      Promise.resolve(result).catch(() => undefined); // Nobody waits for it, and it may reject.
      return invalid('its schema answers later', 'Use rules that answer at once');
    }
    if (result.issues === undefined) return { value: result.value };
    const codes = [...new Set(result.issues.map(describe))].join(', ');
    return invalid(`its schema refuses the value (${codes})`, 'Pass what the schema accepts');
  } catch (error) {
    const { name } = describeThrown(error);
    return invalid(`its schema threw ${name}`, 'Make it refuse what it does not accept');
  }
}

/** The code of zod for a fault, and the type it wants. */
function describe(issue: SchemaIssue): string {
  const code = typeof issue.code === 'string' && CODE.test(issue.code) ? issue.code : 'custom';
  const expected: unknown = Reflect.get(issue, 'expected');
  return typeof expected === 'string' && CODE.test(expected) ? `${code}: ${expected}` : code;
}

const CODE = /^[a-z_]{1,30}$/;

function leadsTo(schema: z.core.$ZodType, keys: readonly string[]): boolean {
  const [key, ...rest] = keys;
  if (key === undefined) return true;
  const { def } = (schema as z.core.$ZodTypes)._zod; // as in `shapeOf`
  switch (def.type) {
    case 'object':
      if (!Object.hasOwn(def.shape, key)) return def.catchall !== undefined;
      return leadsTo(def.shape[key] as z.core.$ZodType, rest); // the key is its own
    case 'array':
      return /^\d+$/.test(key) && leadsTo(def.element, rest);
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'nonoptional':
    case 'readonly':
    case 'catch':
      return leadsTo(def.innerType, keys);
    case 'any':
    case 'unknown':
    case 'record':
    case 'tuple':
    case 'union':
    case 'intersection':
    case 'lazy':
      return true;
    default:
      return false;
  }
}

function invalid(what: string, fix: string): StateProblem {
  return { code: 'invalid-value', what, fix };
}

function problem(what: string, fix: string): ConfigError {
  return new ConfigError('invalid-option', { where: 'createAgent: stateSchema', what, fix });
}
