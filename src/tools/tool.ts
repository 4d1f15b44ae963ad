import { ToolError } from '../errors/tool-error.ts';
import { isThenable } from '../internal/is-thenable.ts';
import type { MaybePromise } from '../internal/maybe-promise.ts';
import { Slots } from '../internal/slots.ts';
import type { ToolDescription } from '../protocol/chat.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import type { StateOf } from '../protocol/state-values.ts';
import type { SideEffects, ToolInvocation, ToolTier } from '../protocol/tool.ts';
import { announceRule } from './announce-rules.ts';
import { argumentNames, propertyNames } from './check-arguments.ts';
import { type Checking, checkInput } from './check-input.ts';
import { checkDeclared, checkToolOptions } from './check-options.ts';
import { readOutput } from './check-output.ts';
import { describeIssues } from './describe-issues.ts';
import type { Done } from './done.ts';
import { toolLocks } from './fill-locks.ts';
import { inputJsonSchemas } from './input-json-schema.ts';
import type { ToolLocks } from './lock-port.ts';
import { type LockedValue, readLocks } from './locked.ts';
import { type OutputPlan, outputJsonSchema, planOutput } from './output-plan.ts';
import { givingJson, type OutputWithFiles } from './output-port.ts';
import type { Interruption, PrecheckContext, ToolContext, ToolPort } from './port.ts';
import { prechecking, refuseAsync } from './precheck.ts';
import { refuseUntyped } from './refuse-untyped.ts';
import type { Assign, Reply } from './result-port.ts';
import {
  parseWith,
  type SchemaInput,
  type SchemaOutput,
  type SchemaResult,
  type ToolSchema,
} from './schema.ts';
import { shownResult } from './shown-result.ts';
import type { ToolOutput } from './tool-output.ts';
import { toolRules } from './tool-rules.ts';

/** How a tool is declared. */
export interface ToolOptions<
  Input extends ToolSchema,
  Output extends ToolSchema,
  Context,
  State = StateOf<Context>,
  Returned = ToolReturn<Output>,
  Outcome = PrecheckOutcome<Output>,
> {
  /** What the model calls it: 1 to 64 letters, digits, `_` and `-`. */
  readonly name: string;
  /** What it does and when to use it, for the model. Default: the description of `inputSchema`, or else the name. */
  readonly description?: string;
  /** What people see, as in an approval. Default: the name. */
  readonly displayName?: string;
  /** An object schema of zod 4, or of another library that gives JSON Schema the standard way. */
  readonly inputSchema: Input;
  /**
   * Checks what `execute` returns, in the form the schema reads: defaults are filled in, fields it does not know are
   * dropped, and the result is JSON in that form again. A value that does not fit makes the call fail; one that must
   * not run twice counts as carried out with an unknown outcome. A result that reports an error itself (`error` or
   * `refused` with a text, or `ok: false`) is not checked. Default: no check.
   */
  readonly outputSchema?: Output;
  /** Required arguments whose text may be empty. Default: none, and a blank one counts as missing. */
  readonly allowBlank?: readonly (keyof SchemaInput<Input> & string)[];
  /**
   * Arguments that are not the model's to give: it does not see them, and what it sends under their names is replaced
   * without a word. A text holds `{{field}}` and `{{field.key}}` of the thread's state, and `{{session.x}}`, `{{sender.x}}`
   * and `{{channel.x}}` as the app passed them to the run; one that is a placeholder and nothing else keeps the type of
   * its value, also of an object or a list. Anything else of plain JSON is the value itself, and `transcript()` the
   * conversation. A value that is not set refuses the call. Policies judge locked values and cannot change them; no event,
   * error, approval or message holds one. Default: none.
   */
  readonly locked?: { readonly [Name in keyof SchemaInput<Input> & string]?: LockedValue };
  /** By the name in a placeholder of `locked`, what the model is told to do where that is not set. Default: to ask the user. */
  readonly hints?: { readonly [name: string]: string };
  /**
   * A rule that is looked at before the tool runs, with the whole input, and must answer at once. An outcome is what the
   * call gives, as `outputSchema` reads it, and the tool does not run; `null` or nothing lets it run. Asked before a
   * person is asked, and again before a call that was approved runs. Changes nothing: it may be asked twice, and it cannot
   * write to the state. What it throws fails the call. Default: none.
   */
  readonly precheck?: (input: SchemaOutput<Input>, ctx: PrecheckContext<Context, State>) => Outcome;
  /** With `false` the model reads `{ "ok": true }` of a call that worked; policies and code see it all. Default: true. */
  readonly showResult?: boolean;
  /** Fields of a result that works which the model does not read; policies and code do. Needs `outputSchema`. */
  readonly hidden?: readonly (keyof SchemaInput<Output> & string)[];
  /** How the model is to use the result. Stands at the end of the description. */
  readonly resultInstructions?: string;
  /**
   * What code tells the user once a call has passed its checks, before the tool runs; several lines take turns. Holds
   * `{{argument}}`, `{{field}}` of the state, and `{{session.x}}`, `{{sender.x}}` and `{{channel.x}}`; an argument goes
   * before a field of its name. Where a value of any of the lines is not set, nothing is said and the call is refused.
   * Judged at `onOutgoingMessage`, which a line that is refused there does not pass; the tool runs all the same. Said
   * once a call, and not where a policy answers in its place. Blank lines count as none. Default: none.
   */
  readonly announce?: string | readonly string[];
  /** With `true` the tool runs only once `onLine` of the agent has settled, or its `lineWaitMs` are over. Default: false. */
  readonly announceWait?: boolean;
  /**
   * Parts of a result that works which are saved in the thread's state, before the model reads it: all of them, or none
   * where the state refuses one (`tool.save-refused`). Read as they are before `postToolUse`, hidden fields included.
   * What the result does not have gives its field back to its default. Needs the agent's `stateSchema`. Default: none.
   */
  readonly assign?: readonly Assign<keyof NoInfer<State> & string>[];
  /**
   * With `true` a call that works ends the conversation: the model is not asked again, the turn is `completed` with what
   * was said beside the call, and `thread.ended` follows. Not a call that fails, is refused or reports an error, nor one
   * that a policy answers in its place. Default: false.
   */
  readonly endsConversation?: boolean;
  /** What a tool that ends the conversation says where the answer that made the call had no words. Default: nothing. */
  readonly goodbye?: string;
  /**
   * Lines that answer results that work: the first that matches and can be filled ends the turn with its words, and the
   * model, which reads the result later, is not asked. It is asked where no line matches, where a call beside this one
   * has none, and where a policy at `onOutgoingMessage` refuses one. Results are read as for `assign`. Default: none.
   */
  readonly replies?: readonly Reply[];
  /**
   * What the tool does, as a text of yours. A change makes a call that waits for a person or the host, or has been
   * approved, one that is not made any more: nobody has approved the tool as it is now. Default: none.
   */
  readonly version?: string;
  /**
   * Bytes of an output that the model reads, in UTF-8 and from 1024; `Infinity` for no limit. Of a longer one it reads
   * the beginning, the end and how much lies between; the whole of it is kept in the store of the thread, under the id
   * of the call (`store.readArtifact`), and policies and the ledger have it as well. Default: as the agent says.
   */
  readonly maxOutputBytes?: number;
  /**
   * True for a tool that gives what somebody else wrote, such as a page or a mail: the model reads it as a text between
   * markers that its writer cannot know, and is told that nothing in it is an instruction. Policies and code have it as
   * it is. Markers make an attack harder and stop none: keep policies on what the model does next. Default: false.
   */
  readonly untrusted?: boolean;
  /** Default `once`: the engine never runs such a call a second time. */
  readonly sideEffects?: SideEffects;
  /** Default: `auto` for a tool that declares `sideEffects: 'none'`, else `confirm`. */
  readonly tier?: ToolTier;
  /** May its calls run beside others of their batch? Default: only with `sideEffects: 'none'`. */
  readonly parallel?: boolean;
  /**
   * What an interruption does to a running call: `agent.cancel`, the caller's signal, or a new message where `onBusy` is
   * `interrupt`; a message that waits in a queue does nothing. With `cancel` it is told to stop; so with
   * `provider_default`, which leaves it to the runtime. With `continue` it goes on: the model reads `{ "running": true }`
   * as its result, and what came of it as a note in the requests of a later turn, as policies let it. Then it saves and
   * says nothing, may not write the thread's state, and ends nothing. `timeoutMs` holds on. The end of the thread waits for
   * it, up to its limit. In a subagent it is cancelled. Default: `provider_default`.
   */
  readonly interruption?: Interruption;
  /**
   * How many calls of this tool run at a time in this process, whatever agents and runs they are of; others wait in the
   * order they came. Counts until `execute` has settled, also after its time. The wait is none of `timeoutMs`; a cancel
   * ends it, and nothing ran. `execute` must not wait for a call of its own tool, also not in a run of an agent. Default: no limit.
   */
  readonly maxConcurrent?: number;
  /** Milliseconds `execute` may take, up to 2147483647. Default: no limit. */
  readonly timeoutMs?: number;
  /**
   * Runs the tool with the parsed input. The output is turned into JSON; the model and `postToolUse` see it. Throw a
   * `ToolError` to tell the model what went wrong in your own words: of any other error it reads no word.
   */
  readonly execute: (
    input: SchemaOutput<Input>,
    ctx: ToolContext<Context, State>,
  ) => MaybePromise<Returned>;
}

/**
 * What `execute` may return: what the output schema reads, of which nothing is changed, and nothing at all is enough
 * for `Done`. A `ToolOutput` of that adds pictures and documents.
 */
export type ToolReturn<Output extends ToolSchema> = Output extends typeof Done
  ? // biome-ignore lint/suspicious/noConfusingVoidType: an async function without `return` gives a promise of it.
    Unchanged<SchemaInput<Output>> | void
  : Unchanged<SchemaInput<Output>> | ToolOutput<Unchanged<SchemaInput<Output>>>;

/** What a precheck may answer: what `execute` may, or nothing to let it run. */
export type PrecheckOutcome<Output extends ToolSchema> =
  // biome-ignore lint/suspicious/noConfusingVoidType: a function without `return` has no objection.
  Unchanged<SchemaInput<Output>> | null | undefined | void;

type Unchanged<Value> = Value extends object
  ? { readonly [Key in keyof Value]: Unchanged<Value[Key]> }
  : Value;

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
  // `const`, so that TypeScript reads the literals of a result as such: `'held'` and not `string`.
  const Returned extends ToolReturn<Output> = ToolReturn<Output>,
  const Outcome extends PrecheckOutcome<Output> = PrecheckOutcome<Output>,
>(
  options: ToolOptions<Input, Output, Context, State, Returned, Outcome>,
): Tool<SchemaInput<Input>, Context, State> {
  checkToolOptions(options);
  const { name, outputSchema } = options;
  refuseUntyped(name, 'inputSchema', options.inputSchema);
  const place = { code: 'invalid-tool', where: `tool '${name}'`, member: 'inputSchema' } as const;
  refuseAsync(name, options.precheck);
  const { full, shown } = inputJsonSchemas(options.inputSchema, place, lockedNames(options));
  const description = describeTool(options, shown);
  const checking = inputChecking(options, full);
  const announce = announceRule(options, full);
  const locks = locksOf(options, { full, checking });
  const output = outputSchema === undefined ? undefined : planOutput(name, outputSchema);
  const forModel = shownResult({
    toolName: name,
    outputSchema,
    hidden: options.hidden,
    showResult: options.showResult,
  });
  const sideEffects = options.sideEffects ?? 'once';
  const tier = options.tier ?? (options.sideEffects === 'none' ? 'auto' : 'confirm');
  return Object.freeze({
    name,
    displayName: options.displayName ?? name,
    tier,
    sideEffects,
    parallel: options.parallel ?? sideEffects === 'none',
    ...(options.maxConcurrent !== undefined && { slots: new Slots(options.maxConcurrent) }),
    ...(options.timeoutMs !== undefined && { timeoutMs: options.timeoutMs }),
    ...(options.interruption !== undefined && { interruption: options.interruption }),
    ...(options.version !== undefined && { version: options.version }),
    ...(options.tier === undefined && tier === 'confirm' && { tierHint: tierHint(name) }),
    description,
    check: (input: JsonValue) => checkInput(checking, input),
    run: givingJson((input: JsonObject, ctx: ToolContext<Context, State>) =>
      runTool({ options, output }, input, ctx),
    ),
    ...beforeRun(options, locks, output),
    ...(forModel !== undefined && { forModel }),
    ...(announce !== undefined && { announce }),
    ...(options.showResult === false && { hidesFiles: true as const }),
    ...afterResult(options),
    ...(options.maxOutputBytes !== undefined && { maxOutputBytes: options.maxOutputBytes }),
    ...(options.untrusted === true && { untrusted: true as const }),
    matches: (
      invocation: ToolInvocation<unknown>,
    ): invocation is ToolInvocation<SchemaInput<Input>> => invocation.toolName === name,
  });
}

interface Locking {
  readonly name: string;
  readonly locked?: object;
  readonly hints?: object;
}

function lockedNames({ locked = {} }: Locking): readonly string[] {
  return Object.keys(locked);
}

function locksOf(
  options: Locking,
  { full, checking }: { readonly full: JsonObject; readonly checking: Checking },
): ToolLocks | undefined {
  const read = readLocks(options.name, options, full);
  if (read === undefined) return undefined;
  const part: Checking = { ...checking, isPart: true };
  return toolLocks(read, {
    check: (input: JsonValue) => checkInput(checking, input),
    checkPart: (input: JsonValue) => checkInput(part, input),
  });
}

/** What stands before a run of the tool. */
function beforeRun<Context, State>(
  options: {
    readonly name: string;
    readonly inputSchema: ToolSchema;
    readonly precheck?: (input: never, ctx: PrecheckContext<Context, State>) => unknown;
  },
  locks: ToolLocks | undefined,
  output: OutputPlan | undefined,
): Pick<ToolPort<Context, State>, 'locks' | 'precheck'> {
  const { name, inputSchema: schema, precheck } = options;
  return {
    ...(locks !== undefined && { locks }),
    ...(precheck !== undefined && { precheck: prechecking(name, { schema, output, precheck }) }),
  };
}

/** What the tool says of its results, for every agent. */
function afterResult(options: {
  readonly name: string;
  readonly outputSchema?: ToolSchema;
  readonly assign?: readonly Assign[];
  readonly replies?: readonly Reply[];
  readonly endsConversation?: boolean;
  readonly goodbye?: string;
}): Pick<ToolPort, 'onResult' | 'resultSchema'> {
  const { name, outputSchema } = options;
  const schema = outputSchema && { resultSchema: () => resultSchemaOf(name, outputSchema) };
  const onResult = toolRules(options, schema?.resultSchema);
  return { ...schema, ...(onResult !== undefined && { onResult }) };
}

function resultSchemaOf(name: string, schema: ToolSchema): JsonObject {
  return outputJsonSchema(name, schema) as JsonObject; // A JSON Schema is JSON.
}

/** What the model is told of the tool. */
function describeTool(
  options: {
    readonly name: string;
    readonly description?: string;
    readonly resultInstructions?: string;
  },
  inputSchema: JsonObject,
): ToolDescription {
  const { name } = options;
  const own = inputSchema['description'];
  const says = [options.description, typeof own === 'string' ? own : '', name];
  const description = says.find((text) => text !== undefined && text.trim() !== '') ?? name;
  const use = options.resultInstructions?.trim() ?? '';
  const whole = use === '' ? description : `${description}\n\n${USE_RESULT} ${use}`;
  return Object.freeze({ name, description: whole, inputSchema });
}

const USE_RESULT = 'Use the result like this:';

function inputChecking(
  options: {
    readonly name: string;
    readonly inputSchema: ToolSchema;
    readonly allowBlank?: readonly string[];
    readonly locked?: object;
  },
  json: JsonObject,
): Checking {
  const { name, inputSchema: schema, allowBlank: blank = [] } = options;
  checkDeclared(
    { toolName: name, name: 'allowBlank', of: 'argument' },
    blank,
    propertyNames(json) ?? [],
  );
  const locked = lockedNames(options);
  const names = argumentNames(name, { schema, json, blank, locked });
  const checking = {
    subject: `the input of tool '${name}'`,
    root: 'input',
    schema,
    names,
  } as const;
  return locked.length === 0 ? checking : { ...checking, locked: new Set(locked) };
}

function tierHint(name: string): string {
  return (
    `tool '${name}' does not say that it is harmless: declare \`sideEffects: 'none'\` if it only reads, ` +
    "or `tier: 'auto'` to run it without asking"
  );
}

function runTool<Input extends ToolSchema, Output extends ToolSchema, Context, State, Returned>(
  {
    options,
    output,
  }: {
    readonly options: ToolOptions<Input, Output, Context, State, Returned>;
    readonly output: OutputPlan | undefined;
  },
  input: JsonObject,
  ctx: ToolContext<Context, State>,
): MaybePromise<JsonValue | OutputWithFiles> {
  const { name } = options;
  const execute = (result: SchemaResult<unknown>): MaybePromise<JsonValue | OutputWithFiles> => {
    if (result.issues !== undefined) {
      const faults = describeIssues(result.issues, input);
      throw new ToolError(`the input of tool '${name}' does not fit: ${faults}`);
    }
    // What the schema gave is its output; the untyped result only lost the name of the type.
    const given: unknown = options.execute(result.value as SchemaOutput<Input>, ctx);
    return readOutput(name, output, given);
  };
  const parsed = parseWith(options.inputSchema, input);
  return isThenable(parsed) ? parsed.then(execute) : execute(parsed);
}
