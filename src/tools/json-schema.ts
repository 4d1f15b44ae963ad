import * as z from 'zod';
import { type ConfigCode, ConfigError } from '../errors/config-error.ts';
import { deepFreeze } from '../internal/deep-freeze.ts';
import { toJson } from '../internal/to-json.ts';
import type { JsonObject } from '../protocol/json.ts';
import { isZod, type ToolSchema } from './schema.ts';

/** Where a schema stands, for whoever has to correct it. */
export interface SchemaPlace {
  readonly code: ConfigCode;
  readonly where: string;
  /** What it was passed as. */
  readonly member: string;
}

/**
 * The JSON Schema a model is shown: the input side, so that a field with a default is optional. Made once and
 * frozen. A field that JSON Schema cannot express is an error here, before any request can fail on it.
 */
export function inputJsonSchema(schema: ToolSchema, place: SchemaPlace): JsonObject {
  const { $schema: _, ...members } = isZod(schema)
    ? zodJsonSchema(schema, place)
    : standardJsonSchema(schema, place);
  const json = toJson(members);
  if (!isObjectSchema(json)) {
    throw new ConfigError(place.code, {
      where: place.where,
      what: `\`${place.member}\` is no object schema, and providers take no other`,
      fix: 'Wrap it, as in `z.object({ value: ... })`',
    });
  }
  return deepFreeze(json);
}

function isObjectSchema(json: unknown): json is JsonObject {
  return typeof json === 'object' && json !== null && 'type' in json && json.type === 'object';
}

function zodJsonSchema(
  schema: z.core.$ZodType,
  { code, where, member }: SchemaPlace,
): Record<string, unknown> {
  return z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: ({ path, zodSchema }) => {
      throw new ConfigError(code, {
        where,
        what: `the field '${fieldOf(path) ?? member}' is a ${zodSchema._zod.def.type}, which JSON Schema cannot express`,
        fix: 'Take what a model can write and turn it into that, as in `z.iso.datetime().transform((text) => new Date(text))`',
      });
    },
  });
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

function standardJsonSchema(
  schema: ToolSchema,
  { code, where, member }: SchemaPlace,
): Record<string, unknown> {
  const { jsonSchema, vendor } = schema['~standard'];
  if (jsonSchema === undefined) {
    throw new ConfigError(code, {
      where,
      what: `\`${member}\` is a schema of '${vendor}' that cannot give a JSON Schema`,
      fix: 'Use zod 4, or a version of that library that supports Standard JSON Schema',
    });
  }
  try {
    return jsonSchema.input({ target: 'draft-2020-12' });
  } catch (cause) {
    throw new ConfigError(
      code,
      {
        where,
        what: `'${vendor}' cannot express \`${member}\` as JSON Schema draft 2020-12`,
        fix: 'See `cause` for the field, and use a type there that JSON has',
      },
      { cause },
    );
  }
}
