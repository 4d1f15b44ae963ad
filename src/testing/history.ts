import { deepFreeze } from '../internal/deep-freeze.ts';
import { toJson } from '../internal/to-json.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import type {
  AssistantMessage,
  AssistantPart,
  Message,
  ToolMessage,
  ToolResultPart,
  UserMessage,
} from '../protocol/message.ts';
import type { ToolResult } from '../protocol/tool.ts';
import type { ToolPort } from '../tools/port.ts';
import type { Tool } from '../tools/tool.ts';
import { isToolResult, toolResult } from './tool-payloads.ts';

/** A tool call that was made and answered. It gets its ids where a history is built of it. */
export interface CalledTool {
  readonly type: 'called';
  readonly toolName: string;
  readonly input: JsonObject;
  readonly result: ToolResult;
}

/** The calls of one response, with the text beside them. */
export interface CalledBatch {
  readonly type: 'called-batch';
  readonly text: string;
  readonly calls: readonly CalledTool[];
}

/** One line of a history. A whole message is taken as it is. */
export type HistoryEntry = Message | CalledTool | CalledBatch;

/** A message of the user. */
export function user(text: string): UserMessage {
  return deepFreeze({ role: 'user', content: textParts(text) });
}

/**
 * A text of the assistant; with calls, the text beside them, which may be empty.
 *
 * @example
 * assistant('Let me look.', called(getOrder, { id: 7 }, { total: 30 }))
 */
export function assistant(text: string): AssistantMessage;
export function assistant(
  text: string,
  call: CalledTool,
  ...more: readonly CalledTool[]
): CalledBatch;
export function assistant(
  text: string,
  ...calls: readonly CalledTool[]
): AssistantMessage | CalledBatch {
  if (calls.length > 0) return deepFreeze({ type: 'called-batch', text, calls });
  return deepFreeze({ role: 'assistant', content: textParts(text) });
}

/**
 * A call of a tool and its output; a `toolResult` for a call that did not succeed.
 *
 * @example
 * called('refund', { orderId: '7' }, toolResult('Blocked: too late', { outcome: 'blocked' }))
 */
export function called<Input>(
  tool: Tool<Input, never>,
  input: NoInfer<Input>,
  output: JsonValue | ToolResult,
): CalledTool;
export function called(tool: string, input: JsonObject, output: JsonValue | ToolResult): CalledTool;
export function called(
  tool: ToolPort<never> | string,
  input: unknown,
  output: JsonValue | ToolResult,
): CalledTool {
  return deepFreeze({
    type: 'called',
    toolName: typeof tool === 'string' ? tool : tool.name,
    input: toJson(input) as JsonObject, // Both signatures ask for an object.
    result: isToolResult(output) ? output : toolResult(output),
  });
}

/**
 * A history as `ctx.messages` shows it: frozen, every call with its result, ids as the engine mints them. A
 * turn begins with each message of the user.
 *
 * @example
 * history(user('Refund order 7'), called(getOrder, { id: 7 }, { total: 30 }), assistant('Shall I?'))
 */
export function history(...entries: readonly HistoryEntry[]): readonly Message[] {
  const messages: Message[] = [];
  let [turn, step, calls] = [0, 0, 0];
  for (const entry of entries) {
    if ('role' in entry) {
      if (entry.role === 'user') [turn, step] = [turn + 1, 0];
      if (entry.role === 'assistant') step += 1;
      messages.push(deepFreeze(entry));
      continue;
    }
    step += 1;
    const batch = entry.type === 'called' ? [entry] : entry.calls;
    const text = entry.type === 'called' ? '' : entry.text;
    const idPrefix = `${Math.max(turn, 1)}.${step}`;
    messages.push(...batchMessages({ text, batch, idPrefix, callsBefore: calls }));
    calls += batch.length;
  }
  return Object.freeze(messages);
}

function batchMessages(parts: {
  readonly text: string;
  readonly batch: readonly CalledTool[];
  readonly idPrefix: string;
  readonly callsBefore: number;
}): readonly [AssistantMessage, ToolMessage] {
  const content: AssistantPart[] = textParts(parts.text);
  const results: ToolResultPart[] = [];
  for (const [index, { toolName, input, result }] of parts.batch.entries()) {
    const ids = {
      callId: `${parts.idPrefix}.${index}`,
      providerCallId: `call_${parts.callsBefore + index + 1}`,
      toolName,
    };
    content.push({ type: 'tool-call', ...ids, input });
    results.push({ type: 'tool-result', ...ids, ...result });
  }
  return deepFreeze([
    { role: 'assistant', content },
    { role: 'tool', content: results },
  ]);
}

function textParts(text: string): { type: 'text'; text: string }[] {
  return text === '' ? [] : [{ type: 'text', text: text.toWellFormed() }];
}
