import type { JsonValue } from '../protocol/json.ts';
import { reportsError } from '../protocol/tool-answer.ts';
import { propertyNames } from './check-arguments.ts';
import { checkDeclared } from './check-options.ts';
import { outputJsonSchema } from './output-plan.ts';
import type { ToolSchema } from './schema.ts';

interface Shown {
  readonly toolName: string;
  readonly showResult: boolean | undefined;
  readonly hidden: readonly string[] | undefined;
  readonly outputSchema: ToolSchema | undefined;
}

/**
 * What the model reads of results; `undefined` where it reads them whole. Throws `ConfigError` for a hidden field
 * that no result can have: it would be shown under its right name.
 */
export function shownResult(shown: Shown): ((output: JsonValue) => JsonValue) | undefined {
  const { toolName, outputSchema, hidden = [] } = shown;
  if (hidden.length > 0 && outputSchema !== undefined) {
    const fields = [...fieldsIn(outputJsonSchema(toolName, outputSchema))];
    checkDeclared({ toolName, name: 'hidden', of: 'field of its output' }, hidden, fields);
  }
  if (shown.showResult === false) return (output) => (reportsError(output) ? output : OK);
  if (hidden.length === 0) return undefined;
  const names = new Set(hidden);
  return (output) => (reportsError(output) ? output : without(output, names));
}

const OK: JsonValue = Object.freeze({ ok: true });

/** A list of results is one whose members have the fields. */
function without(output: JsonValue, names: ReadonlySet<string>): JsonValue {
  if (typeof output !== 'object' || output === null) return output;
  if (Array.isArray(output)) return output.map((one) => without(one, names));
  return Object.fromEntries(Object.entries(output).filter(([name]) => !names.has(name)));
}

/** Of a choice between several forms, the fields of each. */
function* fieldsIn(schema: unknown): Iterable<string> {
  if (typeof schema !== 'object' || schema === null) return;
  // A JSON Schema is JSON.
  const node = schema as { readonly [key: string]: JsonValue };
  yield* propertyNames(node) ?? [];
  for (const key of ['anyOf', 'oneOf', 'allOf']) {
    const branches = node[key];
    if (Array.isArray(branches)) for (const branch of branches) yield* fieldsIn(branch);
  }
  if (node['items'] !== undefined) yield* fieldsIn(node['items']);
}
