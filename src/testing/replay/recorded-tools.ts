import { AgentHooksError } from '../../errors/base.ts';
import { ToolError } from '../../errors/tool-error.ts';
import { deepFreeze } from '../../internal/deep-freeze.ts';
import type { JsonObject, JsonValue } from '../../protocol/json.ts';
import type { ToolOutcome } from '../../protocol/message.ts';
import { failureText } from '../../protocol/tool-answer.ts';
import { jsonSchema } from '../../tools/json-schema.ts';
import type { ToolContext, ToolPort } from '../../tools/port.ts';
import type { ToolSchema } from '../../tools/schema.ts';
import { tool } from '../../tools/tool.ts';
import type { RecordedCall } from './recorded-turns.ts';
import type { RecordedTool } from './transcript.ts';

/** Told of every call that gets as far as to run, with the input that a tool would have been given. */
export type Answerer = (toolName: string, input: JsonObject, ctx: ToolContext) => JsonValue;

/**
 * The tools of one replay. Those the app declares keep their names, schemas, tiers and side effects; the rest come
 * from the record, with its schemas where it has some. Nothing of them runs: every one answers what was recorded.
 */
export function recordedTools(
  from: {
    readonly declared: readonly ToolPort<never>[];
    readonly described: readonly RecordedTool[];
    readonly called: Iterable<string>;
    /** Told of each that is not declared. */
    readonly onDerived: (name: string) => void;
  },
  answer: Answerer,
): readonly ToolPort[] {
  const tools = new Map<string, ToolPort>();
  const add = (name: string, make: () => ToolPort): void => {
    if (!tools.has(name)) tools.set(name, make());
  };
  for (const one of from.declared) add(one.name, () => declaredTool(one, answer));
  for (const name of from.called) if (!tools.has(name)) from.onDerived(name);
  for (const one of from.described) add(one.name, () => describedTool(one, answer));
  for (const name of from.called) add(name, () => unknownTool(name, answer));
  return [...tools.values()];
}

/** What a policy can see of it stays; what it does, and what becomes of its results, does not happen again. */
function declaredTool(declared: ToolPort<never>, answer: Answerer): ToolPort {
  const { name, displayName, tier, sideEffects, parallel, version, description, check } = declared;
  return {
    ...{ name, displayName, tier, sideEffects, parallel, description, check },
    ...(version !== undefined && { version }),
    run: (input, ctx) => answer(name, input, ctx),
  };
}

function describedTool(
  { name, description, inputSchema }: RecordedTool,
  answer: Answerer,
): ToolPort {
  try {
    return tool({
      name,
      description,
      inputSchema: schemaOf(inputSchema),
      tier: 'auto',
      execute: (input: JsonObject, ctx: ToolContext) => answer(name, input, ctx),
    });
  } catch (error) {
    // What this package does not take as a schema, another runtime may have taken.
    if (!AgentHooksError.isInstance(error)) throw error;
    return unknownTool(name, answer);
  }
}

/** A schema takes a millisecond to compile, and thousands of conversations have the same ones. */
const SCHEMAS = new Map<string, ToolSchema<JsonObject>>();
const MAX_SCHEMAS = 500;

function schemaOf(given: JsonObject): ToolSchema<JsonObject> {
  const key = JSON.stringify(given);
  const known = SCHEMAS.get(key);
  if (known !== undefined) return known;
  const schema = jsonSchema(given);
  if (SCHEMAS.size >= MAX_SCHEMAS) SCHEMAS.clear();
  SCHEMAS.set(key, schema);
  return schema;
}

/** Nobody says what it is, so its arguments may be anything, and it counts as one that changes something. */
function unknownTool(name: string, answer: Answerer): ToolPort {
  return {
    name,
    displayName: name,
    tier: 'auto',
    sideEffects: 'once',
    parallel: false,
    description: { name, description: name, inputSchema: { type: 'object' } },
    check: (input) =>
      typeof input === 'object' && input !== null && !Array.isArray(input)
        ? { input: deepFreeze(input as JsonObject) } // No array and no plain value, so an object.
        : { problem: `the input of tool '${name}' is no object` },
    run: (input, ctx) => answer(name, input, ctx),
  };
}

const RAN: readonly ToolOutcome[] = ['succeeded', 'failed', 'cancelled', 'unknown'];

/** True where the record tells what the tool did; false where it tells why it did nothing. */
export function hasRun({ result }: RecordedCall): boolean {
  return result !== undefined && RAN.includes(result.outcome);
}

/** What the tool of a recorded call gave, thrown where it failed. */
export function recordedOutput(output: JsonValue, outcome: ToolOutcome): JsonValue {
  if (outcome === 'succeeded') return output;
  throw new ToolError(failureText(output) || JSON.stringify(output));
}
