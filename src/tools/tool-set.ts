import { StateError } from '../errors/state-error.ts';
import { ToolError } from '../errors/tool-error.ts';
import {
  type FailureOutput,
  failureOf,
  failureOutput,
  refusalOutput,
} from '../errors/tool-failure.ts';
import type { MaybePromise } from '../internal/maybe-promise.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import type { FilePart, ToolOutcome } from '../protocol/message.ts';
import { readToolInput } from '../protocol/read-tool-input.ts';
import { showOutput } from '../protocol/shown-output.ts';
import { valueAt } from '../protocol/template.ts';
import { reportsError } from '../protocol/tool-answer.ts';
import { checkDeclared } from './check-options.ts';
import { hasFiles } from './output-port.ts';
import type { ToolContext, ToolPort, ToolState } from './port.ts';
import { toolRegistry } from './registry.ts';

/** What came of a call: all of it, and what of it is for a model. */
export interface ToolRun {
  readonly outcome: Extract<ToolOutcome, 'succeeded' | 'failed' | 'invalid' | 'unknown-tool'>;
  readonly isError: boolean;
  readonly result: JsonValue;
  readonly forModel: JsonValue;
  /** Pictures and documents that follow what the model reads, unless it is an error or the tool hides its results. */
  readonly files?: readonly FilePart[];
  /** Set for a call that worked, of a tool that ends the conversation. The name of a tool says nothing: it may have failed. */
  readonly endsConversation?: true;
}

/** What a caller knows of the call; the rest is empty. `state` and `signal` are those of nobody unless given. */
export type ToolCallFacts<Context = unknown> = Partial<ToolContext<Context>>;

/** Tools by name, for whoever runs them outside of `createAgent`: an adapter, a script, a test. */
export interface ToolSet {
  readonly has: (name: string) => boolean;
  /** Whether a running call of it is to be left alone when the user speaks. False for a name it does not have. */
  readonly keepsRunning: (name: string) => boolean;
  /** What a model reads of a result that the tool gave: hidden fields left out, failures whole. */
  readonly forModel: (name: string, result: JsonValue) => JsonValue;
  /** Checks the arguments, an object or the JSON text a model wrote, and runs the tool. Never rejects. */
  readonly run: (name: string, args: unknown, facts?: ToolCallFacts<never>) => Promise<ToolRun>;
  /** The same, for code: the whole result, without its files. Rejects with a `ToolError`, or with what the tool threw. */
  readonly call: (name: string, args: unknown, facts?: ToolCallFacts<never>) => Promise<JsonValue>;
  /** Another set, of these of its tools. Throws `ConfigError` for a name it does not have. */
  readonly only: (names: readonly string[]) => ToolSet;
  /** Another set, of its tools and these. Throws `ConfigError` for two of one name. */
  readonly withTools: (...tools: readonly ToolPort<never>[]) => ToolSet;
}

/**
 * Puts tools together by name. **No policy is asked, nothing is approved and nothing is stored**: that is what an agent
 * is for. Locked arguments are filled from the facts of the call, its `state` included, and prechecks are asked. Throws
 * `ConfigError` for two tools of one name.
 */
export function toolSet(given: readonly ToolPort<never>[]): ToolSet {
  const tools = [...given];
  const registry = toolRegistry(tools);
  const forModel = (name: string, result: JsonValue): JsonValue => {
    const tool = registry.get(name);
    return tool === undefined ? result : readable(tool, result);
  };
  const attempt = async (
    name: string,
    args: unknown,
    facts: ToolCallFacts<never> = {},
  ): Promise<Attempt> => {
    const tool = registry.get(name);
    if (tool !== undefined) return runOnce(tool, args, facts);
    const known = registry.descriptions.map((each) => each.name).join(', ') || 'none';
    const words = `there is no tool of this name; there are: ${known}`;
    return { outcome: 'unknown-tool', result: failureOutput(words), error: new ToolError(words) };
  };
  return Object.freeze({
    has: (name: string) => registry.get(name) !== undefined,
    keepsRunning: (name: string) => registry.get(name)?.interruption === 'continue',
    forModel,
    run: async (name: string, args: unknown, facts?: ToolCallFacts<never>) => {
      const { outcome, result, notRun, files } = await attempt(name, args, facts);
      return {
        outcome,
        isError: outcome !== 'succeeded',
        result,
        forModel: HAS_RUN.has(outcome) ? forModel(name, result) : result,
        ...(files !== undefined && { files }),
        ...(outcome === 'succeeded' && notRun !== true && endOf(registry.get(name))),
      };
    },
    call: async (name: string, args: unknown, facts?: ToolCallFacts<never>) => {
      const done = await attempt(name, args, facts);
      if ('error' in done) throw done.error;
      return done.result;
    },
    only: (names: readonly string[]) => toolSet(chosen(tools, names)),
    withTools: (...more: readonly ToolPort<never>[]) => toolSet([...tools, ...more]),
  });
}

function endOf(tool: ToolPort<never> | undefined): Pick<ToolRun, 'endsConversation'> {
  return tool?.onResult?.endsConversation === true ? { endsConversation: true } : {};
}

function chosen(
  tools: readonly ToolPort<never>[],
  names: readonly string[],
): readonly ToolPort<never>[] {
  const known = tools.map(({ name }) => name);
  checkDeclared({ toolName: 'toolSet', name: 'only', of: 'tool of the set' }, names, known);
  return tools.filter(({ name }) => names.includes(name));
}

const HAS_RUN: ReadonlySet<ToolRun['outcome']> = new Set(['succeeded', 'failed']);

/** As an agent shows it, but that nothing is kept of what is cut. */
function readable(tool: ToolPort<never>, result: JsonValue): JsonValue {
  const { forModel, maxOutputBytes = Number.POSITIVE_INFINITY, untrusted } = tool;
  const output = forModel === undefined ? result : forModel(result);
  const fence = untrusted === true ? { fence: crypto.randomUUID() } : {};
  return showOutput(output, { maxBytes: maxOutputBytes, ...fence }).output;
}

interface Attempt {
  readonly outcome: ToolRun['outcome'];
  readonly result: JsonValue;
  /** True for what a precheck gave: nothing has ended. */
  readonly notRun?: true;
  readonly files?: readonly FilePart[];
  /** What `call` rejects with; absent for a result, also one that reports an error. */
  readonly error?: unknown;
}

async function runOnce(
  tool: ToolPort<never>,
  args: unknown,
  facts: ToolCallFacts<never>,
): Promise<Attempt> {
  try {
    const input = readArguments(args);
    if ('malformed' in input)
      return invalid(failureOutput(`Invalid arguments: ${input.malformed}`), input.malformed);
    const ctx = contextOf(tool.name, facts);
    const checked = await checkGiven(tool, input.input, ctx);
    if ('problem' in checked) {
      const { problem, refused, missing } = checked;
      return invalid(
        refused ? refusalOutput(problem, missing) : failureOutput(`Invalid arguments: ${problem}`),
        problem,
      );
    }
    const outcome = await tool.precheck?.(checked.input, ctx);
    if (outcome !== undefined) return { ...attempted(outcome), notRun: true };
    const given = await inSlot(tool, ctx.signal, () => tool.run(checked.input, ctx));
    if (!hasFiles(given)) return attempted(given);
    const { output, files } = given;
    const attempt = attempted(output);
    const isShown = attempt.outcome === 'succeeded' && tool.hidesFiles !== true;
    return isShown && files.length > 0 ? { ...attempt, files } : attempt;
  } catch (error) {
    return { outcome: 'failed', result: failureOf(tool.name, error).output, error };
  }
}

async function inSlot<Output>(
  { slots }: ToolPort<never>,
  signal: AbortSignal,
  run: () => MaybePromise<Output>,
): Promise<Output> {
  const release = await slots?.take(signal);
  try {
    return await run();
  } finally {
    release?.();
  }
}

/** Locks are filled from the facts of the call. There is no conversation, so a transcript is empty. */
function checkGiven(
  tool: ToolPort<never>,
  given: JsonValue,
  ctx: ToolContext<never>,
): ReturnType<ToolPort['check']> {
  const { locks, check } = tool;
  if (locks === undefined) return check(given);
  const { state, sender, channel, session } = ctx;
  return locks.check(given, {
    state: ([field, ...keys]) =>
      state === NO_STATE
        ? undefined
        : valueAt({ field: state.get(field as never) }, ['field', ...keys]),
    facts: (root) => (root === 'sender' ? sender : root === 'channel' ? channel : session),
    conversation: () => NOTHING_SAID,
  });
}

const NOTHING_SAID = Object.freeze({ messages: [], from: 0 });

function attempted(result: JsonValue): Attempt {
  return { outcome: reportsError(result) ? 'failed' : 'succeeded', result };
}

function invalid(result: FailureOutput, words: string): Attempt {
  return { outcome: 'invalid', result, error: new ToolError(words) };
}

function readArguments(
  args: unknown,
): { readonly input: JsonValue } | { readonly malformed: string } {
  if (args === undefined || args === null) return { input: {} };
  // What is no JSON is refused by the check of the tool.
  return typeof args === 'string' ? readToolInput(args) : { input: args as JsonObject };
}

function contextOf(toolName: string, facts: ToolCallFacts<never>): ToolContext<never> {
  return {
    threadId: '',
    turnId: '',
    callId: '',
    toolName,
    idempotencyKey: crypto.randomUUID(),
    attempt: 1,
    signal: new AbortController().signal,
    progress: () => undefined,
    state: NO_STATE,
    sender: null,
    channel: null,
    session: null,
    context: undefined as never, // a caller who gives none has tools that want none
    ...facts,
  };
}

const NO_STATE: ToolState<never> = Object.freeze({ get: noState, set: noState });

function noState(): never {
  throw new StateError('no-schema', {
    where: 'toolSet(…)',
    what: 'the call was made without a state',
    fix: 'Pass `state` with the call',
  });
}
