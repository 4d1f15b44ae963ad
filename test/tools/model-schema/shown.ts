import type * as z from 'zod';
import { ConfigError } from '../../../src/errors/config-error.ts';
import type { JsonObject, JsonValue } from '../../../src/protocol/json.ts';
import { modelSchema } from '../../../src/tools/model-schema.ts';
import type { ToolSchema } from '../../../src/tools/schema.ts';
import { type Tool, tool } from '../../../src/tools/tool.ts';

export function toolWith(inputSchema: ToolSchema, name = 'book'): Tool {
  // What is checked here is the declaration; the types of its inputs do not matter.
  return tool({ name, description: 'Books', inputSchema, execute: () => null }) as Tool;
}

/** What a model reads of a tool's input. */
export function shown(inputSchema: ToolSchema): JsonObject {
  return toolWith(inputSchema).description.inputSchema;
}

/** What it reads of one field of a zod object. */
export function shownField(
  schema: z.ZodType,
  object: (shape: { f: z.ZodType }) => z.ZodType,
): JsonValue {
  return propertiesOf(shown(object({ f: schema })))['f'] ?? null;
}

/** What it reads of one property of a JSON Schema. */
export function copied(property: JsonValue, more: JsonObject = {}): JsonValue {
  const full = { type: 'object', properties: { f: property }, ...more };
  return propertiesOf(modelSchema('book', full))['f'] ?? null;
}

export function propertiesOf(schema: JsonObject): JsonObject {
  return schema['properties'] as JsonObject; // The copy of an object has some.
}

export function refusal(build: () => unknown): ConfigError {
  try {
    build();
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('it was accepted');
}
