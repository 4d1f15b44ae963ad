import { ConfigError } from '../errors/config-error.ts';
import { OperationError } from '../errors/operation-error.ts';
import { ToolError } from '../errors/tool-error.ts';
import { isThenable } from '../internal/is-thenable.ts';
import type { MaybePromise } from '../internal/maybe-promise.ts';
import type { JsonObject } from '../protocol/json.ts';
import type {
  CancelledOperation,
  OperationUpdate,
  PreparedOperation,
} from '../protocol/operation.ts';
import type { StateOf } from '../protocol/state-values.ts';
import { describeIssues } from './describe-issues.ts';
import type { ListenContext, ToolContext } from './port.ts';
import {
  parseWith,
  type SchemaInput,
  type SchemaOutput,
  type SchemaResult,
  type ToolSchema,
} from './schema.ts';
import { type Tool, type ToolOptions, type ToolReturn, tool } from './tool.ts';

/** What `execute` of a listen tool is given: the operation at the revision that was judged, and the call's input. */
export interface OperationToExecute<Input> extends PreparedOperation {
  readonly input: Input;
}

/** How a listen tool is declared: as any other, but that it prepares an operation before it is asked about. */
export interface ListenToolOptions<
  Input extends ToolSchema,
  Output extends ToolSchema,
  Context,
  State = StateOf<Context>,
  Returned = ToolReturn<Output>,
> extends Omit<ToolOptions<Input, Output, Context, State, Returned>, 'execute' | 'sideEffects'> {
  /** `idempotent` where carrying the same operation out again changes nothing. Default: `once`. */
  readonly sideEffects?: 'idempotent' | 'once';
  /**
   * Prepares the operation and tells how it changes, until it is `ready`; nothing is carried out here. Every update is
   * heard as `tool.progress`. Called again when a person has answered, or another process goes on: then `ctx.prepared`
   * is what it came to before, and the same operation is to be told again as it is now. What it gives a new
   * `operationId` or a higher `revision` is judged, and approved, anew. Stop when `ctx.signal` is aborted.
   */
  readonly listen: (
    input: SchemaOutput<Input>,
    ctx: ListenContext<Context, State>,
  ) => MaybePromise<AsyncIterable<OperationUpdate>>;
  /**
   * Carries the operation out, at the `revision` that was judged and approved. Throw
   * `new OperationError('operation-stale')` when the operation has another one by now.
   */
  readonly execute: (
    operation: OperationToExecute<SchemaOutput<Input>>,
    ctx: ToolContext<Context, State>,
  ) => MaybePromise<Returned>;
  /**
   * Gives an operation up that will not be carried out. May be called twice for one, after a crash. What it throws is told
   * as `error.raised` and changes nothing; it has 5 s.
   */
  readonly cancel: (
    operation: CancelledOperation,
    ctx: ListenContext<Context, State>,
  ) => MaybePromise<void>;
  /** Milliseconds until the operation has to be `ready`. Default: 60 000. */
  readonly prepareTimeoutMs?: number;
  /** How many updates may come before it is `ready`. Default: 240. */
  readonly maxUpdates?: number;
}

const PREPARE_TIMEOUT_MS = 60_000;
const MAX_UPDATES = 240;

/**
 * Declares a tool that first prepares an operation, as a quote or a draft, and carries it out when it has been judged.
 * Policies and people see what was prepared (`invocation.prepared`, `approval.prepared`); what runs is the revision they
 * saw, or nothing. Asks a person unless `tier` says otherwise. Throws `ConfigError` for a faulty declaration.
 *
 * @example
 * const transfer = listenTool({
 *   name: 'transfer',
 *   description: 'Sends money',
 *   inputSchema: z.object({ to: z.string(), euros: z.number() }),
 *   async *listen({ to, euros }, ctx: ListenContext<App>) {
 *     const quote = await ctx.context.bank.quote({ to, euros, key: ctx.idempotencyKey });
 *     yield { type: 'ready', operationId: quote.id, revision: quote.revision, snapshot: quote.terms };
 *   },
 *   execute: ({ operationId, revision }, ctx) => ctx.context.bank.send(operationId, revision),
 *   cancel: ({ operationId }, ctx) => ctx.context.bank.drop(operationId),
 * });
 */
export function listenTool<
  Input extends ToolSchema,
  Output extends ToolSchema,
  Context = unknown,
  State = StateOf<Context>,
  const Returned extends ToolReturn<Output> = ToolReturn<Output>,
>(
  options: ListenToolOptions<Input, Output, Context, State, Returned>,
): Tool<SchemaInput<Input>, Context, State> {
  checkListening(options);
  const { listen, execute, cancel, prepareTimeoutMs, maxUpdates, ...rest } = options;
  const declared = tool<Input, Output, Context, State, Returned>({
    ...rest,
    execute: (input, ctx) => {
      const { prepared } = ctx;
      if (prepared === undefined) throw new OperationError('operation-not-ready');
      return execute({ ...prepared, input }, ctx);
    },
  });
  return Object.freeze({
    ...declared,
    operation: Object.freeze({
      prepareTimeoutMs: prepareTimeoutMs ?? PREPARE_TIMEOUT_MS,
      maxUpdates: maxUpdates ?? MAX_UPDATES,
      listen: (input: JsonObject, ctx: ListenContext<Context, State>) =>
        parsed(options, input, (read) => listen(read, ctx)),
      cancel: (operation: CancelledOperation, ctx: ListenContext<Context, State>) =>
        cancel(operation, ctx),
    }),
  });
}

function parsed<Input extends ToolSchema, Value>(
  { name, inputSchema }: { readonly name: string; readonly inputSchema: Input },
  input: JsonObject,
  use: (read: SchemaOutput<Input>) => MaybePromise<Value>,
): MaybePromise<Value> {
  const take = (result: SchemaResult<unknown>): MaybePromise<Value> => {
    if (result.issues !== undefined) {
      const faults = describeIssues(result.issues, input);
      throw new ToolError(`the input of tool '${name}' does not fit: ${faults}`);
    }
    // What the schema gave is its output; the untyped result only lost the name of the type.
    return use(result.value as SchemaOutput<Input>);
  };
  const result = parseWith(inputSchema, input);
  return isThenable(result) ? result.then(take) : take(result);
}

function checkListening(options: unknown): void {
  // What is no object at all is told of where any tool is checked.
  if (typeof options !== 'object' || options === null) return;
  const given = new Map<string, unknown>(Object.entries(options));
  const name = given.get('name');
  const where = typeof name === 'string' ? `tool '${name.slice(0, 80)}'` : 'listenTool()';
  const invalid = (what: string, fix: string): ConfigError =>
    new ConfigError('invalid-tool', { where, what, fix });
  for (const option of ['listen', 'cancel']) {
    if (typeof given.get(option) === 'function') continue;
    const what = given.has(option) ? `\`${option}\` is not a function` : `\`${option}\` is missing`;
    throw invalid(what, `Set \`${option}\` to a function`);
  }
  for (const option of ['prepareTimeoutMs', 'maxUpdates']) {
    const value = given.get(option);
    if (value === undefined || isCount(value)) continue;
    const range = `a whole number from 1 to ${MAX_COUNT}`;
    throw invalid(`\`${option}\` is not ${range}`, `Set \`${option}\` to one`);
  }
  if (given.get('sideEffects') === 'none')
    throw invalid(
      "`sideEffects: 'none'` is for what carries nothing out",
      'Leave `sideEffects` out, or declare the tool with `tool`',
    );
}

/** What a timer can take. */
const MAX_COUNT = 2_147_483_647;

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) > 0 && Number(value) <= MAX_COUNT;
}
