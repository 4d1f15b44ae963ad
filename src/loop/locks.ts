import type { CheckInput } from '../hooks/gate.ts';
import { jsonEqual } from '../internal/json-equal.ts';
import type { MaybePromise } from '../internal/maybe-promise.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import { valueAt } from '../protocol/template.ts';
import type { CheckedInput } from '../tools/input-port.ts';
import type { LockFacts, ToolLocks } from '../tools/lock-port.ts';
import type { ToolPort } from '../tools/port.ts';
import { CallFacts } from './call-facts.ts';
import type { CallLocks } from './call-lock-state.ts';
import type { Session } from './session.ts';
import type { BatchCall } from './state.ts';

/*
 * Locked values are never part of a call in the state: not of its input, which enters the history, approvals and
 * digests. They are filled where the call is judged and again where it runs, and the state holds a digest of them, so
 * that what runs is what was judged, whichever process does it.
 */

type LockingTool = ToolPort<never> & { readonly locks: ToolLocks };

export function hasLocks(tool: ToolPort<never> | undefined): tool is LockingTool {
  return tool?.locks !== undefined;
}

/** Checks what the model or a policy gives, with the locked arguments in the place of whatever that says of them. */
export function checkWhole(
  tool: ToolPort<never>,
  given: JsonValue,
  session: Session,
): MaybePromise<CheckedInput> {
  return hasLocks(tool) ? tool.locks.check(given, factsOf(session)) : tool.check(given);
}

/** The same, for whoever rewrites the input of a call. */
export function checkerOf(tool: ToolPort<never>, session: Session): CheckInput {
  return hasLocks(tool) ? (given) => tool.locks.check(given, factsOf(session)) : tool.check;
}

/** The call as policies see it and as it runs: with its locked arguments, as far as they are what was judged. */
export function wholeCall(call: BatchCall, session: Session): BatchCall {
  const known = session.callFacts?.inputs.get(call.callId);
  const effectiveInput = known ?? inputAsJudged(call, session);
  return effectiveInput === call.effectiveInput ? call : { ...call, effectiveInput };
}

/**
 * The whole input of a call that was judged in another run. What is locked is not stored with it: it is filled in where
 * this run knows the same, and left out otherwise, as what this run would fill in is not what the call was about.
 */
export function inputAsJudged(
  { toolName, effectiveInput, locks }: Pick<BatchCall, 'toolName' | 'effectiveInput' | 'locks'>,
  session: Session,
): JsonObject {
  const tool = session.ports.tools.get(toolName);
  if (!hasLocks(tool)) return effectiveInput;
  const whole = wholeInput(tool, effectiveInput, session);
  return jsonEqual(locksOf(tool, whole, session), locks) ? whole : effectiveInput;
}

/** An input with its locked arguments, as far as they have values. */
export function wholeInput(
  tool: ToolPort<never> | undefined,
  input: JsonObject,
  session: Session,
): JsonObject {
  return hasLocks(tool) ? tool.locks.fill(input, factsOf(session)) : input;
}

/** The input as it may be stored and told of. */
export function storedInput(tool: ToolPort<never> | undefined, input: JsonObject): JsonObject {
  return hasLocks(tool) ? tool.locks.strip(input) : input;
}

/** Remembers the whole input of a call, in this process only. */
export function keepWhole(callId: string, input: JsonObject, session: Session): void {
  session.callFacts ??= new CallFacts();
  session.callFacts.inputs.set(callId, input);
}

/**
 * Which arguments of a call are locked, and a digest of what they were when it was judged. The conversation is not in
 * it: it goes on between the two, and the policies know it anyway.
 */
export function locksOf(
  tool: ToolPort<never>,
  input: JsonObject,
  { digest }: Session,
): CallLocks | undefined {
  if (!hasLocks(tool)) return undefined;
  const { names, locks } = tool.locks;
  const compared = locks.filter(({ source }) => source.type !== 'transcript');
  const values = compared.map(({ name }) => [name, input[name] ?? null]);
  return { names, digest: digest.of({ locked: values }) };
}

function factsOf(session: Session): LockFacts {
  const { values, history, options, ports } = session;
  const { facts } = options;
  return {
    state: (path) => valueAt(values?.view, path),
    describe: (path) => ports.state?.describe(path),
    facts: (root) => (root === 'sender' || root === 'channel' ? facts[root] : facts.session),
    // A summary stands for what was said, and is nobody's words.
    conversation: () => ({ messages: history.context, from: history.upTo > 0 ? 1 : 0 }),
  };
}
