import { ToolError } from '../errors/tool-error.ts';
import { isThenable } from '../internal/is-thenable.ts';
import type { MaybePromise } from '../internal/maybe-promise.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import type { StateOf } from '../protocol/state-values.ts';
import type { SideEffects, ToolInvocation, ToolTier } from '../protocol/tool.ts';
import { type Checking, checkInput } from './check-input.ts';
import { checkToolOptions } from './check-options.ts';
import { readOutput } from './check-output.ts';
import { describeIssues } from './describe-issues.ts';
import { inputJsonSchema } from './input-json-schema.ts';
import type { ToolContext, ToolPort } from './port.ts';
import {
  parseWith,
  type SchemaInput,
  type SchemaOutput,
  type SchemaResult,
  type ToolSchema,
} from './schema.ts';

/** How a tool is declared. */
export interface ToolOptions<
  Input extends ToolSchema,
  Output extends ToolSchema,
  Context,
  State = StateOf<Context>,
> {
  /** What the model calls it: 1 to 64 letters, digits, `_` and `-`. */
  readonly name: string;
  /** What it does and when to use it, for the model. */
  readonly description: string;
  /** What people see, as in an approval. Default: the name. */
  readonly displayName?: string;
  /** An object schema of zod 4, or of another library that gives JSON Schema the standard way. */
  readonly inputSchema: Input;
  /**
   * Checks what `execute` returns. A value that does not fit makes the call fail; one that must not run twice
   * counts as carried out with an unknown outcome. Default: no check.
   */
  readonly outputSchema?: Output;
  /** Default `once`: the engine never runs such a call a second time. */
  readonly sideEffects?: SideEffects;
  /** Default: `auto` for a tool that declares `sideEffects: 'none'`, else `confirm`. */
  readonly tier?: ToolTier;
  /** May its calls run beside others of their batch? Default: only with `sideEffects: 'none'`. */
  readonly parallel?: boolean;
  /** Milliseconds `execute` may take. Default: no limit. */
  readonly timeoutMs?: number;
  /**
   * Runs the tool with the parsed input. The output is turned into JSON; the model and `postToolUse` see it.
   * Throw a `ToolError` to tell the model what went wrong in your own words.
   */
  readonly execute: (
    input: SchemaOutput<Input>,
    ctx: ToolContext<Context, State>,
  ) => MaybePromise<SchemaInput<Output>>;
}

/** A declared tool: what `createAgent` takes, and what a policy recognises its calls with. */
export interface Tool<Input = JsonObject, Context = unknown, State = StateOf<Context>>
  extends ToolPort<Context, State> {
  /** True for a call of this tool, whose inputs are then typed as the schema's. */
  readonly matches: (invocation: ToolInvocation<unknown>) => invocation is ToolInvocation<Input>;
}

/**
 * Declares a tool. Safe by default: one that does not say it is harmless runs at most once and asks a person
 * first. Throws `ConfigError` for a faulty declaration.
 *
 * @example
 * const getOrder = tool({
 *   name: 'get_order',
 *   description: 'Looks an order up by its id',
 *   inputSchema: z.object({ orderId: z.string() }),
 *   sideEffects: 'none',
 *   execute: ({ orderId }, ctx: ToolContext<App>) => ctx.context.orders.find(orderId),
 * });
 */
export function tool<
  Input extends ToolSchema,
  Output extends ToolSchema,
  Context = unknown,
  State = StateOf<Context>,
>(options: ToolOptions<Input, Output, Context, State>): Tool<SchemaInput<Input>, Context, State> {
  checkToolOptions(options);
  const { name, inputSchema } = options;
  const sideEffects = options.sideEffects ?? 'once';
  const tier = options.tier ?? (options.sideEffects === 'none' ? 'auto' : 'confirm');
  const checking: Checking = {
    subject: `the input of tool '${name}'`,
    root: 'input',
    schema: inputSchema,
  };
  return Object.freeze({
    name,
    displayName: options.displayName ?? name,
    tier,
    sideEffects,
    parallel: options.parallel ?? sideEffects === 'none',
    ...(options.timeoutMs !== undefined && { timeoutMs: options.timeoutMs }),
    ...(options.tier === undefined && tier === 'confirm' && { tierHint: tierHint(name) }),
    description: Object.freeze({
      name,
      description: options.description,
      inputSchema: inputJsonSchema(inputSchema, {
        code: 'invalid-tool',
        where: `tool '${name}'`,
        member: 'inputSchema',
      }),
    }),
    check: (input: JsonValue) => checkInput(checking, input),
    run: (input: JsonObject, ctx: ToolContext<Context, State>) => runTool(options, input, ctx),
    matches: (
      invocation: ToolInvocation<unknown>,
    ): invocation is ToolInvocation<SchemaInput<Input>> => invocation.toolName === name,
  });
}

function tierHint(name: string): string {
  return (
    `tool '${name}' does not say that it is harmless: declare \`sideEffects: 'none'\` if it only reads, ` +
    "or `tier: 'auto'` to run it without asking"
  );
}

function runTool<Input extends ToolSchema, Output extends ToolSchema, Context, State>(
  options: ToolOptions<Input, Output, Context, State>,
  input: JsonObject,
  ctx: ToolContext<Context, State>,
): MaybePromise<JsonValue> {
  const { name, outputSchema } = options;
  const execute = (result: SchemaResult<unknown>): MaybePromise<JsonValue> => {
    if (result.issues !== undefined) {
      const faults = describeIssues(result.issues, input);
      throw new ToolError(`the input of tool '${name}' does not fit: ${faults}`);
    }
    // What the schema gave is its output; the untyped result only lost the name of the type.
    const output: unknown = options.execute(result.value as SchemaOutput<Input>, ctx);
    return readOutput(name, outputSchema, output);
  };
  const parsed = parseWith(options.inputSchema, input);
  return isThenable(parsed) ? parsed.then(execute) : execute(parsed);
}
