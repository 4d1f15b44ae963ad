import { deepFreeze } from '../internal/deep-freeze.ts';
import { toJson } from '../internal/to-json.ts';
import type { ScriptedResponse } from '../models/scripted.ts';
import type { ChatStreamPart } from '../protocol/chat.ts';

/**
 * An answer of a model as `wrapLlmCall` reads it from `next` and may give it itself: a text, or the parts of an
 * answer, each in one piece or the text in the `pieces` it is given in, and `finish` last.
 *
 * @example
 * ask(policy).wrapLlmCall(request, () => chatParts('It will rain.'))
 */
export function chatParts(answer: string | ScriptedResponse): readonly ChatStreamPart[] {
  const given: ScriptedResponse = typeof answer === 'string' ? { text: answer } : answer;
  const { text, pieces = text === undefined ? [] : [text], reasoning, toolCalls = [] } = given;
  const parts: ChatStreamPart[] = [];
  if (reasoning !== undefined) parts.push({ type: 'reasoning', text: reasoning });
  for (const piece of pieces) parts.push({ type: 'text', text: piece });
  for (const [index, { name, input, inputText, id }] of toolCalls.entries()) {
    const written = inputText ?? JSON.stringify(toJson(input ?? {}));
    const call = { id: id ?? `call_${index + 1}`, toolName: name, inputText: written };
    parts.push({ type: 'tool-call', call });
  }
  const finishReason = given.finishReason ?? (toolCalls.length > 0 ? 'tool-calls' : 'stop');
  const usage = given.usage ?? { inputTokens: 10, outputTokens: 20 };
  parts.push({
    type: 'finish',
    result: { id: 'msg_1', model: 'scripted', finishReason, usage },
  });
  return deepFreeze(parts);
}
