import * as z from 'zod';
import { ConfigError } from '../errors/config-error.ts';
import { deepFreeze } from '../internal/deep-freeze.ts';
import { toJson } from '../internal/to-json.ts';
import type { JsonObject } from '../protocol/json.ts';
import { isZod, type ToolSchema } from './schema.ts';

/**
 * The JSON Schema a model is shown: the input side, so that a field with a default is optional. Made once and
 * frozen. A field that JSON Schema cannot express is an error here, before any request can fail on it.
 */
export function inputJsonSchema(toolName: string, schema: ToolSchema): JsonObject {
  const { $schema: _, ...members } = isZod(schema)
    ? zodJsonSchema(toolName, schema)
    : standardJsonSchema(toolName, schema);
  const json = toJson(members);
  if (!isObjectSchema(json)) {
    throw new ConfigError('invalid-tool', {
      where: `tool '${toolName}'`,
      what: '`inputSchema` is no object schema, and arguments are always an object',
      fix: 'Wrap it, as in `z.object({ value: ... })`',
    });
  }
  return deepFreeze(json);
}

function isObjectSchema(json: unknown): json is JsonObject {
  return typeof json === 'object' && json !== null && 'type' in json && json.type === 'object';
}

function zodJsonSchema(toolName: string, schema: z.core.$ZodType): Record<string, unknown> {
  return z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: ({ path, zodSchema }) => {
      throw new ConfigError('invalid-tool', {
        where: `tool '${toolName}'`,
        what: `the field '${fieldOf(path)}' is a ${zodSchema._zod.def.type}, which JSON Schema cannot express`,
        fix: 'Take what a model can write and turn it into that, as in `z.iso.datetime().transform((text) => new Date(text))`',
      });
    },
  });
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

function standardJsonSchema(toolName: string, schema: ToolSchema): Record<string, unknown> {
  const { jsonSchema, vendor } = schema['~standard'];
  if (jsonSchema === undefined) {
    throw new ConfigError('invalid-tool', {
      where: `tool '${toolName}'`,
      what: `\`inputSchema\` is a schema of '${vendor}' that cannot give a JSON Schema`,
      fix: 'Use zod 4, or a version of that library that supports Standard JSON Schema',
    });
  }
  try {
    return jsonSchema.input({ target: 'draft-2020-12' });
  } catch (cause) {
    throw new ConfigError(
      'invalid-tool',
      {
        where: `tool '${toolName}'`,
        what: `'${vendor}' cannot express \`inputSchema\` as JSON Schema draft 2020-12`,
        fix: 'See `cause` for the field, and use a type there that JSON has',
      },
      { cause },
    );
  }
}
