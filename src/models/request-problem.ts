import type { Message, ToolMessage } from '../protocol/message.ts';
import { toolCallsOf } from '../protocol/read-content.ts';
import type { ModelRequest } from './port.ts';

/**
 * Why a provider would refuse a request, or `undefined`: messages are there and none is empty, system prompts come
 * first, the assistant never speaks first, last or twice in a row, every tool call has exactly one result directly
 * after it, no result is without a call, and tools have valid, unique names and object schemas. Messages of the user
 * may follow each other: providers join them. Positions are given, contents never.
 */
export function requestProblem({ messages, tools }: ModelRequest): string | undefined {
  return messagesProblem(messages) ?? toolsProblem(tools);
}

function messagesProblem(messages: readonly Message[]): string | undefined {
  if (!messages.some((message) => message.role !== 'system'))
    return 'there is no message to answer';
  for (const [index, message] of messages.entries()) {
    const problem =
      emptyProblem(message) ??
      orderProblem(messages, index) ??
      (message.role === 'tool'
        ? orphanProblem(message, messages[index - 1])
        : unansweredProblem(message, messages[index + 1]));
    if (problem !== undefined) return `messages[${index}] ${problem}`;
  }
  return undefined;
}

function emptyProblem({ role, content }: Message): string | undefined {
  if (content.length === 0) return `of role '${role}' has no content`;
  const isEmpty =
    typeof content !== 'string' && content.some((part) => part.type === 'text' && part.text === '');
  return isEmpty ? `of role '${role}' has an empty text` : undefined;
}

/** Whose turn it is to speak. Messages of the user may follow each other: providers join them. */
function orderProblem(messages: readonly Message[], index: number): string | undefined {
  const message = messages[index];
  const role = message?.role;
  const before = messages[index - 1]?.role;
  const isFirst = before === undefined || before === 'system';
  if (role === 'system' && !isFirst) return 'is a system prompt after other messages';
  if (message?.role !== 'assistant') return undefined;
  if (isFirst) return "of role 'assistant' comes before any message of the user";
  if (before === 'assistant') return "of role 'assistant' follows another of the same role";
  // A last one with calls lacks their results, which says more.
  if (index === messages.length - 1 && toolCallsOf(message).length === 0)
    return "of role 'assistant' is the last: there is nothing to answer";
  return undefined;
}

/** A tool message is judged against the calls right before it; other places for it do not exist. */
function orphanProblem(message: ToolMessage, before: Message | undefined): string | undefined {
  const called = new Set(
    before === undefined ? [] : toolCallsOf(before).map((call) => call.providerCallId),
  );
  const orphan = message.content.find((result) => !called.has(result.providerCallId));
  return orphan === undefined
    ? undefined
    : `has a result of '${orphan.toolName}' without a call directly before it`;
}

function unansweredProblem(message: Message, after: Message | undefined): string | undefined {
  const calls = toolCallsOf(message);
  const results = after?.role === 'tool' ? after.content : [];
  const ids = new Set<string>();
  for (const { providerCallId, toolName } of calls) {
    if (ids.has(providerCallId)) return `has two calls with one id, the second of '${toolName}'`;
    ids.add(providerCallId);
    const answers = results.filter((result) => result.providerCallId === providerCallId).length;
    if (answers !== 1)
      return `has a call of '${toolName}' with ${answers} results directly after it`;
  }
  return undefined;
}

function toolsProblem(tools: ModelRequest['tools']): string | undefined {
  const names = new Set<string>();
  for (const [index, { name, inputSchema }] of tools.entries()) {
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name))
      return `tools[${index}] has a name that providers refuse`;
    if (names.has(name)) return `tools[${index}] has the name of another tool, '${name}'`;
    if (inputSchema['type'] !== 'object')
      return `tools[${index}] has an input schema that is no object`;
    names.add(name);
  }
  return undefined;
}
