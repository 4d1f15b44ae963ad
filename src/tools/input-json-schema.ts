import * as z from 'zod';
import { ConfigError } from '../errors/config-error.ts';
import { deepFreeze } from '../internal/deep-freeze.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import { describeFindings, keywordFindings } from './check-json-schema.ts';
import { inlineRefs } from './inline-refs.ts';
import { plainCopy, withoutArguments } from './model-schema.ts';
import { isZod, type ToolSchema } from './schema.ts';
import { isKeyword, isSchemaObject } from './schema-keywords.ts';
import { refuseSchema, type SchemaPlace } from './schema-place.ts';

/**
 * The JSON Schema of the input side, so that a field with a default is optional: the plainer copy that a model is
 * shown, made once and frozen, and the full one that it is a copy of, which says what names are taken. A field that
 * JSON Schema cannot express is a `ConfigError` here, before any request can fail on it. `hidden`: arguments that the
 * copy does not mention.
 */
export function inputJsonSchemas(
  schema: ToolSchema,
  place: SchemaPlace,
  hidden: readonly string[] = [],
): { readonly full: JsonObject; readonly shown: JsonObject } {
  const root = rootOf(inlineRefs(place, fullJsonSchema(schema, place)), place);
  const findings = keywordFindings(root);
  if (findings.length > 0) {
    throw refuseSchema(place, {
      what: `\`${place.member}\` has what no tool's schema can have: ${describeFindings(findings)}`,
      fix: 'Express it as said there, or check it in `execute`',
    });
  }
  return { full: root, shown: plainCopy(place, withoutArguments(root, hidden)) };
}

/**
 * The JSON Schema that a provider holds an answer to: the full one, frozen, as there it decides and a copy that says
 * less would let more through. Throws as `inputJsonSchemas` does.
 */
export function answerJsonSchema(schema: ToolSchema, place: SchemaPlace): JsonObject {
  const { $schema: _, ...full } = fullJsonSchema(schema, place);
  if (full['type'] !== 'object') throw noObject(place);
  return deepFreeze(full);
}

function fullJsonSchema(schema: ToolSchema, place: SchemaPlace): JsonObject {
  return isZod(schema) ? zodJsonSchema(schema, place) : standardJsonSchema(schema, place);
}

/** The root is the list of arguments: what other notes a library puts there, nobody reads. */
function rootOf(inlined: JsonValue, place: SchemaPlace): JsonObject {
  if (!isSchemaObject(inlined) || inlined['type'] !== 'object') throw noObject(place);
  const members = Object.entries(inlined).filter(([keyword]) => !ROOT_NOTES.has(keyword));
  return Object.fromEntries(members);
}

function noObject(place: SchemaPlace): ConfigError {
  return refuseSchema(place, {
    what: `\`${place.member}\` is no object schema, and providers take no other`,
    fix: 'Wrap it, as in `z.object({ value: ... })`',
  });
}

const ROOT_NOTES: ReadonlySet<string> = new Set(
  '$schema readOnly writeOnly deprecated default example examples'.split(' '),
);

/** What zod describes as something a model can write, though no parsed JSON fits it. */
const MISDESCRIBED: readonly string[] = ['file', 'success'];

function zodJsonSchema(schema: z.core.$ZodType, place: SchemaPlace): JsonObject {
  const refuse = (path: readonly (string | number)[], type: string): ConfigError =>
    refuseSchema(place, {
      what: `the field '${fieldOf(path) ?? place.member}' is a ${type}, which JSON Schema cannot express`,
      fix: 'Take what a model can write and turn it into that, as in `z.iso.datetime().transform((text) => new Date(text))`',
    });
  try {
    const full = z.toJSONSchema(schema, {
      io: 'input',
      unrepresentable: ({ path, zodSchema }) => {
        const { type } = zodSchema._zod.def;
        // Only what stands in for a faulty value cannot be shown, and a model need not know it.
        if (type === 'catch') return 'any';
        throw refuse(path, type);
      },
      override: ({ zodSchema, jsonSchema, path }) => {
        const { type } = zodSchema._zod.def;
        if (MISDESCRIBED.includes(type)) throw refuse(path, type);
        dropForeignNotes(zodSchema, jsonSchema);
      },
    });
    return full as JsonObject; // zod itself sends it through JSON.
  } catch (cause) {
    if (ConfigError.isInstance(cause)) throw cause;
    const what = `zod cannot express \`${place.member}\` as JSON Schema`;
    throw refuseSchema(place, { what, fix: SEE_CAUSE }, cause);
  }
}

/** `.meta()` may hold anything for anyone; and the format says already how a text is encoded. */
function dropForeignNotes(
  zodSchema: z.core.$ZodType,
  jsonSchema: z.core.JSONSchema.BaseSchema,
): void {
  delete jsonSchema.contentEncoding;
  for (const name of Object.keys(z.globalRegistry.get(zodSchema) ?? {}))
    if (name !== 'id' && !isKeyword(name)) delete jsonSchema[name];
}

/** Of the path through the JSON Schema, only the names a reader knows. */
function fieldOf(path: readonly (string | number)[]): string | undefined {
  const names: string[] = [];
  for (let index = 0; index < path.length; index += 1) {
    const part = path[index];
    if (part === 'properties') {
      index += 1;
      names.push(String(path[index]));
    } else if (part === 'items' || part === 'prefixItems' || part === 'additionalProperties') {
      names.push('*');
    }
  }
  return names.length === 0 ? undefined : names.join('.');
}

function standardJsonSchema(schema: ToolSchema, place: SchemaPlace): JsonObject {
  const { jsonSchema, vendor } = schema['~standard'];
  if (jsonSchema === undefined) {
    throw refuseSchema(place, {
      what: `\`${place.member}\` is a schema of '${vendor}' that cannot give a JSON Schema`,
      fix: 'Use zod 4, or a version of that library that supports Standard JSON Schema',
    });
  }
  const full = sentThroughText(place, vendor, () => jsonSchema.input({ target: 'draft-2020-12' }));
  if (!isSchemaObject(full)) throw noObject(place);
  return full;
}

/** What a library gives may be shared with others, and more than JSON. */
function sentThroughText(place: SchemaPlace, vendor: string, give: () => unknown): JsonValue {
  try {
    return JSON.parse(JSON.stringify(give()));
  } catch (cause) {
    const what = `'${vendor}' cannot express \`${place.member}\` as JSON Schema draft 2020-12`;
    throw refuseSchema(place, { what, fix: SEE_CAUSE }, cause);
  }
}

const SEE_CAUSE = 'See `cause` for the field, and use a type there that JSON has';
