import { ConfigError } from '../errors/config-error.ts';
import { failureOf } from '../errors/tool-failure.ts';
import type { JsonObject } from '../protocol/json.ts';
import { readToolResult } from '../protocol/read-tool-result.ts';
import type { ToolInvocation, ToolResult } from '../protocol/tool.ts';
import type { ToolWrapAnswer } from './around-answer.ts';
import { type AskedAround, checkNext, closeAsked, gateOf } from './ask-around.ts';
import { settingOf } from './ask-options.ts';
import { toolOf, toolResult } from './tool-payloads.ts';

/** The tool around which a policy is asked. One that throws has failed, as it has in an agent. */
export type ToolBelow = (invocation: ToolInvocation) => ToolResult | PromiseLike<ToolResult>;

/** Puts the policy around one call of a tool, as the engine does. */
export async function askAroundTool(
  asked: AskedAround,
  invocation: ToolInvocation,
  next: ToolBelow,
): Promise<ToolWrapAnswer> {
  checkNext(next, 'wrapToolUse', "() => toolResult('paid')");
  const calls: ToolInvocation[] = [];
  const execute = (call: ToolInvocation): Promise<ToolResult> => {
    calls.push(call);
    return runTool(next, call);
  };
  const check = toolOf(invocation)?.check ?? takeAnyInput;
  const { entry } = asked;
  const setting = settingOf(asked.options);
  const { gate, hasFailed } = gateOf('wrapToolUse', asked, setting);
  try {
    const { moment } = setting;
    const { result, failure } = await gate.toolCall(invocation, { execute, check }, moment);
    const { policy } = entry;
    const facts = { policy, point: 'wrapToolUse', memory: setting.memory(), calls } as const;
    if (failure !== undefined) {
      const { kind } = failure;
      const failed = { type: 'failed', kind, error: failure, failure: entry.failure } as const;
      return Object.freeze({ ...facts, ...failed, result });
    }
    // Who was cut off is recorded as a failure, and nobody was told of one.
    const isCutOff = hasFailed() || (setting.ports.cancel.cancelled && calls.length === 0);
    if (isCutOff) return Object.freeze({ ...facts, type: 'cancelled' });
    return Object.freeze({ ...facts, type: 'answered', result });
  } finally {
    closeAsked(gate, setting);
  }
}

async function runTool(next: ToolBelow, call: ToolInvocation): Promise<ToolResult> {
  let given: unknown;
  try {
    given = await next(call);
  } catch (error) {
    return toolResult(failureOf(call.toolName, error).output, { outcome: 'failed' });
  }
  const read = readToolResult(given);
  if ('result' in read) return read.result;
  throw new ConfigError('invalid-input', {
    where: 'ask(…).wrapToolUse, `next`',
    what: `what the tool of the test gives is no ToolResult: ${read.problem}`,
    fix: "Give a result, such as `() => toolResult('paid')`",
  });
}

/** A tool of which only the name is known has no schema. */
function takeAnyInput(input: unknown): { readonly input: JsonObject } {
  return { input: input as JsonObject }; // Whoever asks has read it as an object.
}
