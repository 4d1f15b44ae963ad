import * as z from 'zod';
import { ConfigError } from '../errors/config-error.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import { describeFindings, keywordFindings } from './check-json-schema.ts';
import { inlineRefs } from './inline-refs.ts';
import { plainCopy } from './model-schema.ts';
import { isZod, type ToolSchema } from './schema.ts';
import { isKeyword, isSchemaObject } from './schema-keywords.ts';

/**
 * The JSON Schema a model is shown: the input side, so that a field with a default is optional, in its plainer
 * copy. Made once and frozen. A field that JSON Schema cannot express is a `ConfigError` here, before any request
 * can fail on it.
 */
export function inputJsonSchema(toolName: string, schema: ToolSchema): JsonObject {
  const full = isZod(schema)
    ? zodJsonSchema(toolName, schema)
    : standardJsonSchema(toolName, schema);
  const root = rootOf(toolName, inlineRefs(toolName, full));
  const findings = keywordFindings(root);
  if (findings.length > 0) {
    throw invalid(toolName, {
      what: `\`inputSchema\` has what no tool's schema can have: ${describeFindings(findings)}`,
      fix: 'Express it as said there, or check it in `execute`',
    });
  }
  return plainCopy(toolName, root);
}

/** The root is the list of arguments: what other notes a library puts there, nobody reads. */
function rootOf(toolName: string, inlined: JsonValue): JsonObject {
  if (!isSchemaObject(inlined) || inlined['type'] !== 'object') {
    throw invalid(toolName, {
      what: '`inputSchema` is no object schema, and arguments are always an object',
      fix: 'Wrap it, as in `z.object({ value: ... })`',
    });
  }
  const members = Object.entries(inlined).filter(([keyword]) => !ROOT_NOTES.has(keyword));
  return Object.fromEntries(members);
}

const ROOT_NOTES: ReadonlySet<string> = new Set(
  '$schema readOnly writeOnly deprecated default example examples'.split(' '),
);

/** What zod describes as something a model can write, though no parsed JSON fits it. */
const MISDESCRIBED: readonly string[] = ['file', 'success'];

function zodJsonSchema(toolName: string, schema: z.core.$ZodType): JsonObject {
  const refuse = (path: readonly (string | number)[], type: string): ConfigError =>
    invalid(toolName, {
      what: `the field '${fieldOf(path)}' is a ${type}, which JSON Schema cannot express`,
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
    throw invalid(
      toolName,
      { what: 'zod cannot express `inputSchema` as JSON Schema', fix: SEE_CAUSE },
      cause,
    );
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
function fieldOf(path: readonly (string | number)[]): string {
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
  return names.length === 0 ? 'inputSchema' : names.join('.');
}

function standardJsonSchema(toolName: string, schema: ToolSchema): JsonObject {
  const { jsonSchema, vendor } = schema['~standard'];
  if (jsonSchema === undefined) {
    throw invalid(toolName, {
      what: `\`inputSchema\` is a schema of '${vendor}' that cannot give a JSON Schema`,
      fix: 'Use zod 4, or a version of that library that supports Standard JSON Schema',
    });
  }
  try {
    // What it gives may be shared, or more than JSON.
    const full: unknown = JSON.parse(JSON.stringify(jsonSchema.input({ target: 'draft-2020-12' })));
    return full as JsonObject; // Whatever is no object schema is refused with the root.
  } catch (cause) {
    const what = `'${vendor}' cannot express \`inputSchema\` as JSON Schema draft 2020-12`;
    throw invalid(toolName, { what, fix: SEE_CAUSE }, cause);
  }
}

const SEE_CAUSE = 'See `cause` for the field, and use a type there that JSON has';

function invalid(
  toolName: string,
  text: { readonly what: string; readonly fix: string },
  cause?: unknown,
): ConfigError {
  const where = `tool '${toolName}'`;
  return new ConfigError('invalid-tool', { where, ...text }, { cause });
}
