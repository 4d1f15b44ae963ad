import type { Message } from '../protocol/message.ts';

const BYTES_PER_TOKEN = 4;
const TOKENS_PER_FILE = 1_000;

/**
 * About how many tokens messages are: one for every four bytes of their JSON, and a thousand for every file, whatever
 * its size. English prose and JSON come out a little high; no tokenizer of any model is asked.
 */
export function roughTokens(messages: readonly Message[]): number {
  let tokens = 0;
  for (const message of messages) tokens += tokensOf(message);
  return tokens;
}

function tokensOf(message: Message): number {
  let files = 0;
  const text = JSON.stringify(message, (_key, value: unknown) => {
    if (!isFile(value)) return value;
    files += 1;
    return null;
  });
  return Math.ceil(utf8Length(text) / BYTES_PER_TOKEN) + files * TOKENS_PER_FILE;
}

function isFile(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'mediaType' in value && 'type' in value;
}

function utf8Length(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    // Each half of a surrogate pair stands for two of its four bytes.
    if (code > 0x7ff) bytes += code >= 0xd800 && code <= 0xdfff ? 1 : 2;
    else if (code > 0x7f) bytes += 1;
  }
  return bytes;
}
