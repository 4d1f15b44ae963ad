import type { JsonObject, JsonValue } from '../protocol/json.ts';
import type { AssistantPart, FilePart, Message, UserPart } from '../protocol/message.ts';

/** Characters of one text or value that a transcript keeps: of what is longer, its beginning and its end. */
const LONGEST = 8_000;

/**
 * Messages as JSON data. Whatever a text in them calls itself, it stands within the entry of the one who wrote it.
 * Without thoughts, and without what is in files.
 */
export function transcript(messages: readonly Message[]): readonly JsonObject[] {
  return messages.map((message): JsonObject => {
    const { role } = message;
    if (message.role === 'system') return { role, text: clipped(message.content) };
    if (message.role === 'tool') {
      const results = message.content.map(
        ({ toolName, outcome, output, files }): JsonObject => ({
          tool: toolName,
          outcome,
          output: clippedValue(output),
          ...(files !== undefined && { files: files.map(nameOf) }),
        }),
      );
      return { role, results };
    }
    return { role, parts: message.content.flatMap(entryOf) };
  });
}

function entryOf(part: UserPart | AssistantPart): readonly JsonObject[] {
  switch (part.type) {
    case 'text':
      return [{ text: clipped(part.text) }];
    case 'reasoning':
      return [];
    case 'file':
      return [{ file: nameOf(part) }];
    case 'tool-call':
      return [{ call: part.toolName, input: clippedValue(part.input) }];
  }
}

function nameOf({ filename, mediaType }: FilePart): string {
  return filename ?? mediaType;
}

function clippedValue(value: JsonValue): JsonValue {
  const text = JSON.stringify(value);
  return text.length <= LONGEST ? value : clipped(text);
}

/** The middle of a text is what is missed least. */
export function clipped(text: string, longest: number = LONGEST): string {
  if (text.length <= longest) return text;
  const kept = Math.floor(longest / 2);
  const left = text.length - 2 * kept;
  const [start, end] = [text.slice(0, kept), text.slice(-kept)];
  return `${start}[${left} characters left out]${end}`.toWellFormed();
}
