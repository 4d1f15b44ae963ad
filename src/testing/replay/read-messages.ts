import { ConfigError } from '../../errors/config-error.ts';
import { readOpenAiChat } from '../../models/read-openai-chat.ts';
import type { Message } from '../../protocol/message.ts';
import { parseMessage } from '../../protocol/message-schema.ts';
import { readAiSdkMessages } from './read-ai-sdk-messages.ts';
import { isRecord } from './unreadable.ts';

/** Messages of a conversation, or why they are none. The problem names the message and never quotes it. */
export type MessagesRead = { readonly messages: readonly Message[] } | { readonly problem: string };

/**
 * Reads messages in whichever of three formats they are: of this package, of the AI SDK (`ModelMessage`), or of
 * OpenAI's chat API. The parts tell which; a conversation of texts alone reads the same in all of them.
 */
export function readMessages(values: readonly unknown[]): MessagesRead {
  try {
    return { messages: readFormat(values) };
  } catch (error) {
    if (!ConfigError.isInstance(error)) throw error;
    return { problem: error.message.split('. ')[0] ?? error.message };
  }
}

function readFormat(values: readonly unknown[]): readonly Message[] {
  const parts = values.flatMap(partsOf);
  if (parts.some((part) => 'callId' in part)) return readOwn(values);
  if (parts.some(isAiSdkPart)) return readAiSdkMessages(values);
  return readOpenAiChat(values.map(withSystemRole));
}

function partsOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  const content = isRecord(value) ? value['content'] : undefined;
  return Array.isArray(content) ? content.filter(isRecord) : [];
}

const AI_SDK_TYPES: readonly unknown[] = ['file', 'image', 'reasoning', 'tool-call', 'tool-result'];

function isAiSdkPart(part: Readonly<Record<string, unknown>>): boolean {
  return 'toolCallId' in part || AI_SDK_TYPES.includes(part['type']);
}

/** Newer models are given their instructions under another name. */
function withSystemRole(value: unknown): unknown {
  return isRecord(value) && value['role'] === 'developer' ? { ...value, role: 'system' } : value;
}

function readOwn(values: readonly unknown[]): readonly Message[] {
  const messages = values.map((value, index) => {
    const read = parseMessage(value);
    if ('message' in read) return read.message;
    throw new ConfigError('invalid-input', {
      where: `messages[${index}]`,
      what: `is no message of this package: ${read.problem}`,
      fix: 'Correct the transcript',
    });
  });
  refuseStrayResults(messages);
  return messages;
}

/** A result answers a call of the message before it: anything else was never a conversation. */
function refuseStrayResults(messages: readonly Message[]): void {
  let open = new Set<string>();
  for (const [index, message] of messages.entries()) {
    if (message.role === 'assistant') {
      const calls = message.content.flatMap((part) => (part.type === 'tool-call' ? part : []));
      open = new Set(calls.map(({ callId }) => callId));
    } else if (message.role !== 'tool') {
      open = new Set();
    } else if (!message.content.every(({ callId }) => open.delete(callId))) {
      throw new ConfigError('invalid-input', {
        where: `messages[${index}]`,
        what: 'holds a result of no call directly before it',
        fix: 'Correct the transcript',
      });
    }
  }
}
