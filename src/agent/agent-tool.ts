import * as z from 'zod';
import { checkKeys } from '../errors/check-keys.ts';
import { ConfigError } from '../errors/config-error.ts';
import { ToolError } from '../errors/tool-error.ts';
import { builtWhenUsed } from '../internal/built-when-used.ts';
import type { MaybePromise } from '../internal/maybe-promise.ts';
import { CHILD, type ChildAgent, type ChildTool } from '../loop/child-tool.ts';
import type { JsonValue } from '../protocol/json.ts';
import type { UserMessage } from '../protocol/message.ts';
import type { ToolTier } from '../protocol/tool.ts';
import type { SchemaInput, SchemaOutput, ToolSchema } from '../tools/schema.ts';
import { type Tool, tool } from '../tools/tool.ts';
import type { Agent } from './agent.ts';
import { AS_CHILD } from './child-agent.ts';

const MAX_DEPTH = 4;

export interface AgentToolOptions<Input extends ToolSchema> {
  /** What the model calls it: 1 to 64 letters, digits, `_` and `-`. */
  readonly name: string;
  /** What the agent is for and when to ask it, for the model. */
  readonly description: string;
  /** What people see, as in an approval. Default: the name. */
  readonly displayName?: string;
  /** What the model has to give, as of `tool`. Default: `{ task }`, a text. */
  readonly input?: Input;
  /** What the subagent is told. Default: `task`, or for an `input` of your own its JSON. Nothing of the conversation above is added. */
  readonly message?: (input: SchemaOutput<Input>) => MaybePromise<string | UserMessage>;
  /** Whether a person is asked before the subagent is. Default: `auto`, as what it does is judged call by call. */
  readonly tier?: ToolTier;
  /** Milliseconds one run of it may take; waiting for a person does not count. Default: what the caller has left. */
  readonly timeoutMs?: number;
  /** How many agents may be above this one; a deeper call is not executed. Default: 4. */
  readonly maxDepth?: number;
}

const OPTIONS = {
  name: true,
  description: true,
  displayName: true,
  input: true,
  message: true,
  tier: true,
  timeoutMs: true,
  maxDepth: true,
} satisfies Record<keyof AgentToolOptions<ToolSchema>, true>;

type TaskSchema = z.ZodObject<{ readonly task: z.ZodString }>;

const taskSchema: () => TaskSchema = builtWhenUsed(() => z.object({ task: z.string().min(1) }));

/**
 * Makes an agent a tool of another. Each call runs it on a thread of its own, `<thread>/<call>`, in the store of the
 * agent that calls: the caller's policies are asked before its own at every point, what they remember is the caller's,
 * and steps, tokens and costs count for both. Where it waits for a person, so does the caller's turn: `pendingApprovals`
 * and `resume` of the outermost agent list and answer what any agent below asks for.
 *
 * The call gives the subagent's answer, or an error that says why there is none. Calls run one after the other, and
 * never twice. Throws `ConfigError` for what is no agent of `createAgent`, and for a faulty declaration.
 *
 * @example
 * const research = agentTool(researcher, { name: 'research', description: 'Looks things up' });
 * const desk = createAgent({ name: 'desk', model, tools: [research] });
 */
export function agentTool<Context, Input extends ToolSchema = TaskSchema>(
  agent: Agent<Context>,
  options: AgentToolOptions<Input>,
): Tool<SchemaInput<Input>, Context> {
  const child = childOf(agent);
  checkOptions(options);
  const { input = taskSchema(), message = messageOf, maxDepth = MAX_DEPTH, timeoutMs } = options;
  const { name, description, displayName, tier = 'auto' } = options;
  // Reads the arguments as any tool does; what it "executes" is the message of the subagent.
  const declared = tool({
    name,
    description,
    ...(displayName !== undefined && { displayName }),
    inputSchema: input,
    sideEffects: 'idempotent',
    tier,
    parallel: false,
    execute: (given) => message(given as SchemaOutput<Input>), // `input` is the caller's schema, or theirs is the default one
  });
  const delegating: ChildTool<Context> & Tool<SchemaInput<Input>, Context> = {
    ...declared,
    // The default schema stands in only where `Input` is its type.
    matches: declared.matches as Tool<SchemaInput<Input>, Context>['matches'],
    run: notAlone,
    [CHILD]: {
      agent: child,
      maxDepth,
      ...(timeoutMs !== undefined && { timeoutMs }),
      // `execute` above gives a message, which has no files.
      message: (given) => declared.run(given, NO_CONTEXT) as MaybePromise<JsonValue>,
    },
  };
  return Object.freeze(delegating);
}

/** The message is made of the input alone. */
const NO_CONTEXT = Object.freeze({}) as never;

function notAlone(): never {
  throw new ToolError('a subagent runs only as a call of an agent');
}

function messageOf(input: unknown): string {
  const task: unknown = typeof input === 'object' && input !== null && Reflect.get(input, 'task');
  const isDefault = typeof task === 'string' && Object.keys(input as object).length === 1; // an object, as it has a task
  return isDefault ? task : JSON.stringify(input);
}

function childOf(agent: unknown): ChildAgent {
  const child: unknown =
    typeof agent === 'object' && agent !== null && Reflect.get(agent, AS_CHILD);
  if (typeof child === 'object' && child !== null) return child as ChildAgent; // only `createAgent` writes under this key
  throw invalid('the first argument is no agent', 'Pass what `createAgent` returned');
}

function checkOptions(options: unknown): void {
  if (typeof options !== 'object' || options === null)
    throw invalid('it was called without options', 'Pass at least `name` and `description`');
  checkKeys('agentTool', options, Object.keys(OPTIONS));
  const message: unknown = Reflect.get(options, 'message');
  if (message !== undefined && typeof message !== 'function')
    throw invalid('`message` is no function', 'Pass a function that makes a text of the input');
  for (const option of ['timeoutMs', 'maxDepth']) {
    const value: unknown = Reflect.get(options, option);
    if (value === undefined) continue;
    if (typeof value !== 'number' || !(value >= 1) || !Number.isFinite(value))
      throw invalid(`\`${option}\` is no number from 1`, 'Pass a number from 1, or leave it out');
  }
}

function invalid(what: string, fix: string): ConfigError {
  return new ConfigError('invalid-option', { where: 'agentTool', what, fix });
}
