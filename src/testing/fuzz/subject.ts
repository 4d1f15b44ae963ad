import { ConfigError } from '../../errors/config-error.ts';
import type { AgentHooks } from '../../hooks/agent-hooks.ts';
import { compileHooks } from '../../hooks/compile.ts';
import type { HookEntry } from '../../hooks/entry.ts';
import { implementedPoints } from '../../hooks/points.ts';
import type { JsonObject, JsonValue } from '../../protocol/json.ts';
import type { ToolInvocation } from '../../protocol/tool.ts';
import type { Tool } from '../../tools/tool.ts';
import { ask } from '../ask.ts';
import type { AskOptions } from '../ask-options.ts';
import { hookError, modelError, toolCallError } from '../error-payloads.ts';
import { type HistoryEntry, history } from '../history.ts';
import { chatParts } from '../stream-payloads.ts';
import { type InvocationOverrides, toolInvocation } from '../tool-payloads.ts';
import type { FuzzInput } from './fault.ts';
import type { FuzzPoint } from './fuzz-point.ts';
import type { FuzzSetting } from './options.ts';

/** One policy at one point, and how to ask it. */
export interface Subject {
  readonly policy: string;
  readonly point: FuzzPoint;
  readonly entry: HookEntry;
  readonly setting: FuzzSetting;
  /** Asks as an agent would; what comes is what `ask` gives. */
  readonly ask: (asked: Asked, options: AskOptions) => Promise<unknown>;
}

/** What is handed to the method, in order, without the context. */
export interface Asked {
  readonly args: readonly unknown[];
  readonly messages: readonly HistoryEntry[];
}

/** Throws `ConfigError` for what is no policy, several of them, and a point it does not implement. */
export function subjectOf(
  policy: AgentHooks<never>,
  point: FuzzPoint,
  setting: FuzzSetting,
): Subject {
  const asker: Readonly<Record<string, unknown>> = { ...ask(policy) };
  const compiled = compileHooks([policy], 'default');
  const entry = compiled.entries[point]?.[0];
  const method = asker[point];
  const [name = ''] = compiled.policies;
  if (entry === undefined || typeof method !== 'function') {
    throw new ConfigError('no-hooks', {
      where: `fuzzPolicy(${name}, '${point}')`,
      what: `the policy does not implement '${point}'`,
      fix: `It implements: ${implementedPoints(policy).join(', ')}`,
    });
  }
  return {
    policy: name,
    point,
    entry,
    setting,
    ask: ({ args, messages }, options) =>
      method(...args, { ...setting.asking, ...options, messages }),
  };
}

/** The arguments a question is asked with; nothing for an input that the tool of the call refuses. */
export function askedWith({ point, setting }: Subject, input: FuzzInput): Asked | undefined {
  const messages = history(
    ...(setting.asking.messages ?? []),
    // What was made for a history is made of messages.
    ...(input.messages as unknown as readonly HistoryEntry[]),
  );
  const { payload, result } = input;
  switch (point) {
    case 'onError':
      return { args: [errorOf(payload)], messages };
    case 'preToolUse':
    case 'postToolUse':
    case 'wrapToolUse': {
      const invocation = invocationOf(setting, payload as JsonObject);
      if (invocation === undefined) return undefined;
      if (point === 'preToolUse') return { args: [invocation], messages };
      return { args: [invocation, point === 'postToolUse' ? result : () => result], messages };
    }
    case 'wrapLlmCall':
      return { args: [payload, () => chatParts(String(result))], messages };
    default:
      return { args: [payload], messages };
  }
}

function errorOf(code: JsonValue): unknown {
  if (code === 'tool-failed') return toolCallError();
  if (code === 'hook-failed') return hookError();
  // The codes that inputs are made of.
  return modelError(code as 'overloaded');
}

/** Built from its tool, where that is known, so that rewrites are checked against the schema, too. */
function invocationOf(setting: FuzzSetting, payload: JsonObject): ToolInvocation | undefined {
  const { toolName, effectiveInput, ...rest } = payload;
  const port = setting.tools.find(({ name }) => name === toolName)?.port;
  const overrides = rest as InvocationOverrides; // A payload of this point is an invocation.
  const input = effectiveInput as JsonObject;
  if (port === undefined) return toolInvocation(String(toolName), input, overrides);
  try {
    return toolInvocation(port as Tool<JsonObject, never>, input, overrides);
  } catch (error) {
    if (ConfigError.isInstance(error) && error.code === 'invalid-input') return undefined;
    throw error;
  }
}
