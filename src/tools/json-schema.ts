import { ConfigError } from '../errors/config-error.ts';
import { deepFreeze } from '../internal/deep-freeze.ts';
import { isJson } from '../internal/is-json.ts';
import { kindOf } from '../internal/kind-of.ts';
import { toJson } from '../internal/to-json.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import {
  describeFindings,
  keywordFindings,
  referenceFindings,
  type SchemaFinding,
} from './check-json-schema.ts';
import { compileJsonSchema, valueFindings } from './json-schema/compile.ts';
import type { ToolSchema } from './schema.ts';
import { isSchemaObject } from './schema-keywords.ts';

export type { ToolSchema } from './schema.ts';

/**
 * A hand-written JSON Schema (draft 2020-12) as the `inputSchema` or `outputSchema` of a tool. All of it is enforced
 * on each call, except `format` and notes such as `default`, which are hints: nothing checks or fills them in.
 * References point to `$defs` at the root, and the root is a plain object schema. The value is passed on as it is,
 * as JSON; `Value` is what you say it is, and no type is derived from the schema. Changing the object later changes
 * nothing. Throws `ConfigError` that names every keyword it does not take, and where.
 *
 * @example
 * const input = jsonSchema<{ id: string }>({
 *   type: 'object',
 *   properties: { id: { type: 'string', pattern: '^A-[0-9]+$' } },
 *   required: ['id'],
 *   additionalProperties: false,
 * });
 */
export function jsonSchema<Value = JsonObject>(schema: object): ToolSchema<Value> {
  const own = readSchema(schema);
  refuse([...keywordFindings(own), ...referenceFindings(own)]);
  refuse(valueFindings(own));
  const check = compileJsonSchema(own);
  return Object.freeze({
    '~standard': Object.freeze({
      version: 1 as const,
      vendor: 'agent-hooks',
      validate: (value: unknown) => {
        // What is checked is what will be sent: a date, for one, is a text by then.
        const json = isJson(value) ? value : toJson(value);
        const issues = check(json);
        return issues === undefined ? { value: json as Value } : { issues }; // The caller said what fits is.
      },
      jsonSchema: Object.freeze({ input: () => own }),
    }),
  });
}

function readSchema(schema: unknown): JsonObject {
  if (!isJson(schema) || !isSchemaObject(schema as JsonValue)) {
    const what = isJson(schema)
      ? `it was given ${kindOf(schema)}`
      : 'the schema is not plain JSON, or nested too deeply, or too large';
    throw invalid(
      what,
      'Pass one JSON Schema, as in `jsonSchema({ type: "object", properties: { ... } })`',
    );
  }
  // Through text, which keeps every member, also one called `__proto__`, and leaves out what is undefined.
  const own: unknown = JSON.parse(JSON.stringify(schema));
  return deepFreeze(own as JsonObject); // It is an object by the check above.
}

function refuse(findings: readonly SchemaFinding[]): void {
  if (findings.length === 0) return;
  throw invalid(
    `the schema has what no tool's schema can have: ${describeFindings(findings)}`,
    'Express it as said there, or check it in `execute`',
  );
}

function invalid(what: string, fix: string): ConfigError {
  return new ConfigError('invalid-tool', { where: 'jsonSchema()', what, fix });
}
