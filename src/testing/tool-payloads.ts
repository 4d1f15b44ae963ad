import { ConfigError } from '../errors/config-error.ts';
import { deepFreeze } from '../internal/deep-freeze.ts';
import { isThenable } from '../internal/is-thenable.ts';
import { toJson } from '../internal/to-json.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import type { ApprovalAnswer, ToolInvocation, ToolResult } from '../protocol/tool.ts';
import { withFiles } from '../protocol/with-files.ts';
import type { ToolPort } from '../tools/port.ts';
import type { Tool } from '../tools/tool.ts';

/** What of an invocation a test may set. The answer of a person needs only `approved`. */
export interface InvocationOverrides
  extends Partial<
    Omit<ToolInvocation, 'toolName' | 'effectiveInput' | 'requestedInput' | 'approval'>
  > {
  /** What the model asked for. Default: the same as what would run. */
  readonly requestedInput?: JsonObject;
  /** Default `approvalId` and `by`: `approval-1`, `approver`. */
  readonly approval?: Pick<ApprovalAnswer, 'approved'> & Partial<ApprovalAnswer>;
}

/**
 * A tool call about to run, as the engine hands it to `preToolUse`, `wrapToolUse` and `postToolUse`.
 *
 * From a tool: its tier, side effects and display name, the input checked against its schema, and so is what a
 * policy rewrites it to. Throws `ConfigError` for an input that does not fit, as no policy is ever asked about
 * one. From a name: tier `auto`, side effects `once`, and no schema. `callId` is `this-turn.1.0`.
 *
 * @example
 * toolInvocation(refund, { orderId: '7', amount: 500 })
 * toolInvocation('refund', { amount: 500 }, { approval: { approved: true, by: 'ann' } })
 */
export function toolInvocation<Input>(
  tool: Tool<Input, never>,
  input: NoInfer<Input>,
  overrides?: InvocationOverrides,
): ToolInvocation;
export function toolInvocation(
  toolName: string,
  input?: JsonObject,
  overrides?: InvocationOverrides,
): ToolInvocation;
export function toolInvocation(
  tool: ToolPort<never> | string,
  input: unknown = {},
  overrides: InvocationOverrides = {},
): ToolInvocation {
  const { approval, requestedInput, ...rest } = overrides;
  const requested = toJson(requestedInput ?? input) as JsonObject; // Both signatures ask for an object.
  const invocation: ToolInvocation = deepFreeze({
    callId: 'this-turn.1.0',
    providerCallId: 'call_1',
    ...(typeof tool === 'string' ? namedTool(tool) : factsOf(tool)),
    requestedInput: requested,
    effectiveInput: checkedInput(tool, input),
    batch: { index: 0, size: 1 },
    ...rest,
    ...(approval && { approval: { approvalId: 'approval-1', by: 'approver', ...approval } }),
  });
  if (typeof tool !== 'string') TOOLS.set(invocation, tool);
  return invocation;
}

/** The tool an invocation was built from, for the check of a rewrite. Beside it, as the engine has it, too. */
export function toolOf(invocation: ToolInvocation): ToolPort<never> | undefined {
  return TOOLS.get(invocation);
}

const TOOLS = new WeakMap<ToolInvocation, ToolPort<never>>();

/** What came of a call. `isError` follows `outcome`, which is `succeeded` unless said otherwise. */
export function toolResult(
  output: JsonValue,
  overrides: Partial<Omit<ToolResult, 'output'>> = {},
): ToolResult {
  const { outcome = 'succeeded', isError = outcome !== 'succeeded', files } = overrides;
  return withFiles({ outcome, isError, output: deepFreeze(toJson(output)) }, deepFreeze(files));
}

/** True for a value of exactly that shape, which no tool gives as its output. */
export function isToolResult(value: JsonValue | ToolResult): value is ToolResult {
  if (typeof value !== 'object' || value === null) return false;
  return (
    'outcome' in value &&
    'isError' in value &&
    'output' in value &&
    Object.keys(value).length === ('files' in value ? 4 : 3)
  );
}

type ToolFacts = Pick<ToolInvocation, 'toolName' | 'displayName' | 'tier' | 'sideEffects'>;

function namedTool(name: string): ToolFacts {
  return { toolName: name, displayName: name, tier: 'auto', sideEffects: 'once' };
}

function factsOf({ name, displayName, tier, sideEffects }: ToolPort<never>): ToolFacts {
  return { toolName: name, displayName, tier, sideEffects };
}

function checkedInput(tool: ToolPort<never> | string, input: unknown): JsonObject {
  const wire = toJson(input);
  if (typeof tool === 'string') return wire as JsonObject; // The signature asks for an object.
  const checked = tool.check(wire);
  if (isThenable(checked)) {
    throw new ConfigError('invalid-tool', {
      where: `toolInvocation('${tool.name}')`,
      what: 'its schema answers later, and a payload is built at once',
      fix: 'Build the invocation from the name of the tool',
    });
  }
  if ('input' in checked) return checked.input;
  throw new ConfigError('invalid-input', {
    where: `toolInvocation('${tool.name}')`,
    what: checked.problem,
    fix: 'Give an input that fits: the engine refuses any other before a policy sees it',
  });
}
