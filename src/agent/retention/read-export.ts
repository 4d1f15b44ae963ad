import { ThreadImportError } from '../../errors/retention-error.ts';
import { StoreVersionError } from '../../errors/store-error.ts';
import { MAX_JSON_DEPTH } from '../../internal/json-limits.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { ThreadChanges } from '../../stores/port.ts';
import { EXPORT_FORMAT, EXPORT_VERSION } from './export-format.ts';
import { headerSchema } from './record-schemas.ts';
import { fits, ThreadReader } from './thread-reader.ts';

/** One thread of an export, as one commit writes it. */
export interface ReadThread {
  readonly threadId: string;
  readonly changes: ThreadChanges;
}

/** Reads and checks all of an export: the thread first, then those of its subagents. Nothing is written. */
export async function readExport(
  lines: AsyncIterable<string> | Iterable<string>,
): Promise<readonly [ReadThread, ...ReadThread[]]> {
  const reader = new ExportReader();
  let number = 0;
  for await (const text of lines) {
    number += 1;
    if (!isBlank(text)) reader.read(text, number);
  }
  return reader.end(number + 1);
}

class ExportReader {
  readonly #threads: ReadThread[] = [];
  #open: ThreadReader | undefined;
  #isFinished = false;

  read(text: string, line: number): void {
    const value = parse(text, line);
    if (this.#isFinished) throw new ThreadImportError(line, 'it comes after the end');
    if (this.#open !== undefined) this.#readRecord(this.#open, value, line);
    else if ('finished' in value && this.#threads.length > 0) this.#finish(value, line);
    else this.#readHeader(value, line);
  }

  end(line: number): readonly [ReadThread, ...ReadThread[]] {
    const [top, ...below] = this.#threads;
    if (this.#isFinished && top !== undefined) return [top, ...below];
    throw new ThreadImportError(
      line,
      'the end is missing: the export was cut, or never came to its end',
    );
  }

  #readHeader(value: JsonObject, line: number): void {
    const { format, version } = value;
    if (format !== EXPORT_FORMAT)
      throw new ThreadImportError(
        line,
        `it is no header of an export: its format is not '${EXPORT_FORMAT}'`,
      );
    if (typeof version === 'number' && version > EXPORT_VERSION)
      throw new StoreVersionError(`line ${line} of the import`, version, EXPORT_VERSION);
    if (version !== EXPORT_VERSION)
      throw new ThreadImportError(line, `its version is not ${EXPORT_VERSION}`);
    const { threadId } = fits(headerSchema(), value, { line, kind: 'header' });
    if (this.#threads.some((thread) => thread.threadId === threadId))
      throw new ThreadImportError(line, 'its thread is there twice');
    this.#open = new ThreadReader(threadId, this.#threads[0]?.threadId);
  }

  #readRecord(open: ThreadReader, value: JsonObject, line: number): void {
    const changes = open.read(value, line);
    if (changes === undefined) return;
    this.#threads.push({ threadId: open.threadId, changes });
    this.#open = undefined;
  }

  #finish({ finished }: JsonObject, line: number): void {
    const threads = Object(finished).threads;
    if (threads !== this.#threads.length)
      throw new ThreadImportError(
        line,
        `there are ${this.#threads.length} threads before it, and it tells of another number`,
      );
    this.#isFinished = true;
  }
}

/** What `split` leaves after the last line break. */
function isBlank(text: unknown): boolean {
  return text === '' || text === '\n' || text === '\r\n';
}

/** What JSON.parse throws is not told, as it quotes the line. */
function parse(text: unknown, line: number): JsonObject {
  if (typeof text !== 'string')
    throw new ThreadImportError(
      line,
      'it is no text',
      'Give one line at a time, as `readline` does',
    );
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ThreadImportError(
      line,
      'it is no JSON',
      'Give one line at a time, as `readline` does, of an export that nobody changed',
    );
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ThreadImportError(line, 'it is no object');
  if (!nestsWithin(value, MAX_DEPTH))
    throw new ThreadImportError(line, `it nests deeper than ${MAX_DEPTH} levels`);
  return value as JsonObject;
}

/** What a tool gives may nest as deep as JSON may here, and it is kept within a few levels of its record. */
const MAX_DEPTH = MAX_JSON_DEPTH + 20;

function nestsWithin(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((member) => nestsWithin(member, depth - 1));
}
