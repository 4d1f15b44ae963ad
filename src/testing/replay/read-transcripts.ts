import { readFileSync, statSync } from 'node:fs';
import { checkKeys } from '../../errors/check-keys.ts';
import { ConfigError } from '../../errors/config-error.ts';
import { broken, readConversation } from './read-conversation.ts';
import { type Line, readLines } from './read-lines.ts';
import { isExportEnd, isThreadHead, isThreadLine, ThreadLines } from './read-thread-lines.ts';
import type { BrokenTranscript, Transcript } from './transcript.ts';
import { isRecord } from './unreadable.ts';

export interface ReadTranscriptsOptions {
  /**
   * Bytes of one line, and of a file that is one JSON document. What is longer counts as broken. Default: 33554432,
   * which is 32 MiB.
   */
  readonly maxBytes?: number;
  /** Told how many more bytes of the files were read, for a progress bar. */
  readonly onBytes?: (bytes: number) => void;
}

const OPTIONS = Object.keys({ maxBytes: true, onBytes: true } satisfies Record<
  keyof ReadTranscriptsOptions,
  true
>);

type Read = Transcript | BrokenTranscript;

const MAX_BYTES = 2 ** 25;

/**
 * Recorded conversations of files, one at a time and in order: JSON lines with a conversation each, exported threads
 * (`exportThread`), or one JSON document with one or several. Messages may be those of OpenAI's chat API, of the AI
 * SDK, or of this package. Lines are streamed: memory does not grow with how many there are. What cannot be read comes
 * as a `BrokenTranscript` in its place. Throws `ConfigError` for a file that is not there, before any is read.
 */
export async function* readTranscripts(
  files: string | readonly string[],
  options: ReadTranscriptsOptions = {},
): AsyncGenerator<Read> {
  checkKeys('readTranscripts', options, OPTIONS);
  const { maxBytes = MAX_BYTES, onBytes = () => undefined } = options;
  const all = typeof files === 'string' ? [files] : files;
  for (const file of all) requireFile(file);
  for (const file of all) yield* readFile(file, { maxBytes, onBytes });
}

interface Reading {
  readonly maxBytes: number;
  readonly onBytes: (bytes: number) => void;
}

async function* readFile(file: string, reading: Reading): AsyncGenerator<Read> {
  try {
    const document = readDocument(file, reading.maxBytes);
    if (document === undefined) yield* readEachLine(file, reading);
    else {
      yield* document;
      reading.onBytes(statSync(file).size);
    }
  } catch (error) {
    if (!isSystemError(error)) throw error;
    yield broken({ file }, `cannot be read (${error.code})`);
  }
}

const LINES = /\.(jsonl|ndjson)$/i;

/** The conversations of a file that is one JSON document; nothing for one of lines. */
function readDocument(file: string, maxBytes: number): readonly Read[] | undefined {
  if (LINES.test(file) || !statSync(file).isFile()) return undefined;
  const isJson = /\.json$/i.test(file);
  if (statSync(file).size > maxBytes) {
    if (!isJson) return undefined;
    const what = `is one JSON document of more than ${maxBytes} bytes: write it as JSON lines, which are streamed`;
    return [broken({ file, line: 1 }, what)];
  }
  const text = withoutMark(readFileSync(file, 'utf8'));
  const value = parse(text);
  if ('value' in value)
    return isThreadHead(value.value) ? undefined : conversationsOf(file, value.value);
  const [first = ''] = text.trimStart().split('\n', 1);
  if (!isJson || 'value' in parse(first)) return undefined;
  return [broken({ file, line: value.line ?? 1 }, NO_JSON)];
}

const NO_JSON = 'is no JSON, or not all of it';

/** An array of messages is one conversation, an array of anything else has one in each place. */
function conversationsOf(file: string, value: unknown): readonly Read[] {
  const source = { file, line: 1 };
  const isMessage = (one: unknown): boolean => isRecord(one) && 'role' in one;
  if (!Array.isArray(value) || value.every(isMessage)) return [readConversation(value, source)];
  return value.map((one, index) => {
    const read = readConversation(one, source);
    if (read.type === 'broken')
      return { ...read, problem: `conversation ${index + 1}: ${read.problem}` };
    const hasId =
      !Array.isArray(one) &&
      read.id !== undefined &&
      isRecord(one) &&
      ('id' in one || 'threadId' in one);
    return hasId ? read : { ...read, id: `${read.id}:${index + 1}` };
  });
}

async function* readEachLine(file: string, reading: Reading): AsyncGenerator<Read> {
  let thread: ThreadLines | undefined;
  for await (const line of readLines(file, reading)) {
    const source = { file, line: line.number };
    const read = readLine(line, reading.maxBytes);
    if (read === undefined) continue;
    if ('problem' in read) {
      if (thread === undefined) yield broken(source, read.problem);
      else thread.unreadable(read.problem, line.number);
      continue;
    }
    if (isThreadHead(read.value)) {
      if (thread !== undefined) yield thread.cutOff();
      thread = new ThreadLines(read.value, source);
      continue;
    }
    if (thread === undefined && isExportEnd(read.value)) continue;
    if (thread === undefined && !isThreadLine(read.value)) {
      yield readConversation(read.value, source);
      continue;
    }
    thread ??= new ThreadLines(read.value, source);
    const whole = thread.add(read.value, line.number);
    if (whole === undefined) continue;
    yield whole;
    thread = undefined;
  }
  if (thread !== undefined) yield thread.cutOff();
}

function readLine(
  { number, text }: Line,
  maxBytes: number,
): { readonly value: unknown } | { readonly problem: string } | undefined {
  if (text === undefined) return { problem: `is longer than ${maxBytes} bytes` };
  const whole = number === 1 ? withoutMark(text) : text;
  if (whole.trim() === '') return undefined;
  const parsed = parse(whole);
  return 'value' in parsed ? parsed : { problem: NO_JSON };
}

/** What is thrown quotes the text, so only the line it names is kept of it. */
function parse(text: string): { readonly value: unknown } | { readonly line: number | undefined } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    const line = /\(line (\d+) /.exec(error instanceof Error ? error.message : '')?.[1];
    return { line: line === undefined ? undefined : Number(line) };
  }
}

/** Some editors begin a file with a mark that is no part of the text. */
function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

function requireFile(file: string): void {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats !== undefined && !stats.isDirectory()) return;
  throw new ConfigError('invalid-input', {
    where: 'readTranscripts',
    what: `there is no file '${file}'`,
    fix: 'Pass the paths of files with recorded conversations',
  });
}

function isSystemError(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && 'code' in error && 'syscall' in error;
}
