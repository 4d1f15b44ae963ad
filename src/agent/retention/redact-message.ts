import { jsonEqual } from '../../internal/json-equal.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type {
  AssistantPart,
  FilePart,
  Message,
  TextPart,
  ToolResultPart,
  UserPart,
} from '../../protocol/message.ts';
import type { Redact } from './redact-json.ts';
import { redactRecord } from './redact-record.ts';

type Part = UserPart | AssistantPart | ToolResultPart;

/**
 * A message as it can still be sent: no text of it is empty, and where anything of it was changed, what providers have signed
 * or keep on their side goes, as that would bring back or contradict what was there.
 */
export function redactMessage(message: Message, redact: Redact): Message {
  if (message.role === 'system') return { ...message, content: sayable(redact(message.content)) };
  const before: readonly Part[] = message.content;
  const content = before.map((part) => redactPart(part, redact));
  if (jsonEqual(content, before)) return message;
  // Each part became one that may stand in its place.
  return { ...message, content: content.map(withoutMetadata) } as Message;
}

/** What a model is to read in the place of a text that is gone; providers refuse an empty one. */
export function sayable(text: string): string {
  return text === '' ? '[redacted]' : text;
}

function redactPart(part: Part, redact: Redact): Part {
  if (part.type === 'file') return redactFile(part, redact);
  const redacted = redactRecord(part as unknown as JsonObject, redact) as unknown as Part; // Members stay what they were.
  if (part.type === 'tool-result' && part.files !== undefined)
    return { ...redacted, files: redactFiles(part.files, redact) } as ToolResultPart;
  if (redacted.type !== 'text' && redacted.type !== 'reasoning') return redacted;
  return { ...redacted, text: sayable(redacted.text) };
}

/** The files of a result: one that is no file any more is left out. */
export function redactFiles(files: readonly FilePart[], redact: Redact): readonly FilePart[] {
  return files.map((file) => redactFile(file, redact)).filter((part) => part.type === 'file');
}

/** A file of text is read as one. Any other is what it was, or not a file any more. */
function redactFile(part: FilePart, redact: Redact): FilePart | TextPart {
  const { data, url, filename } = part;
  const name = filename === undefined ? {} : { filename: redact(filename) };
  if (data !== undefined && isText(part.mediaType)) {
    const text = Buffer.from(data, 'base64').toString('utf8');
    const redacted = redact(text);
    return redacted === text
      ? { ...part, ...name }
      : { ...part, ...name, data: Buffer.from(redacted, 'utf8').toString('base64') };
  }
  const source = data ?? url ?? '';
  if (redact(source) === source) return { ...part, ...name };
  return { type: 'text', text: `[file removed: ${part.mediaType}]` };
}

function isText(mediaType: string): boolean {
  return mediaType.startsWith('text/') || mediaType.startsWith('application/json');
}

function withoutMetadata(part: Part): Part {
  if (!('providerMetadata' in part)) return part;
  const { providerMetadata: _signed, ...rest } = part;
  return rest;
}
