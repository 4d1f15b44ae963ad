import { ToolError } from '../errors/tool-error.ts';
import { deepFreeze } from '../internal/deep-freeze.ts';
import type { FilePart } from '../protocol/message.ts';
import { WITH_FILES } from './output-port.ts';

/** A picture or a document, by exactly one of `data` and `url`. */
export interface OutputFile {
  /** Such as `image/png` or `application/pdf`. */
  readonly mediaType: string;
  readonly filename?: string;
  /** Bytes, or their base64. */
  readonly data?: string | Uint8Array;
  /** Where the provider finds it: `http` or `https`. */
  readonly url?: string | URL;
}

/**
 * What a tool returns to give the model pictures or documents beside its output. The output is checked, saved, hidden
 * and cut as without them; the files follow it whole, in the history as JSON, and policies see them as `result.files`.
 * A result that is an error has none, and neither has one with `showResult: false`. What a provider does with a kind of
 * file is its own: one that takes no files in results may fail. 16 MiB of bytes in all.
 *
 * Throws a `ToolError` for a file that no provider could read: the tool has run, so its call counts as carried out.
 *
 * @example
 * execute: async () => new ToolOutput({ page: 1 }, [{ mediaType: 'image/png', data: await screenshot() }]),
 */
export class ToolOutput<Output = unknown> {
  readonly output: Output;
  readonly files: readonly FilePart[];

  constructor(output: Output, files: readonly OutputFile[]) {
    this.output = output;
    this.files = deepFreeze(readFiles(files));
    Object.defineProperty(this, WITH_FILES, { value: true });
    Object.freeze(this);
  }

  /** True also for one that the other build of this package made. */
  static isInstance(value: unknown): value is ToolOutput {
    return typeof value === 'object' && value !== null && WITH_FILES in value;
  }
}

const MAX_BYTES = 16 * 1024 * 1024;

function readFiles(files: readonly OutputFile[]): readonly FilePart[] {
  // A caller without types may have passed anything.
  if (!Array.isArray(files)) throw unreadable('the files are no list');
  const read = files.map((file: OutputFile | undefined, index) => readFile(file, index));
  const bytes = read.reduce((sum, { data = '' }) => sum + Buffer.byteLength(data, 'base64'), 0);
  if (bytes > MAX_BYTES) throw unreadable(`the files are larger than ${MAX_BYTES} bytes`);
  return read;
}

function readFile(file: OutputFile | undefined, index: number): FilePart {
  const { mediaType, filename, data, url } = file ?? { mediaType: '' };
  if (typeof mediaType !== 'string' || !MEDIA_TYPE.test(mediaType))
    throw unreadable(`files[${index}] has no media type, such as image/png`);
  const named = typeof filename === 'string' ? { filename: filename.toWellFormed() } : {};
  if ((data === undefined) === (url === undefined))
    throw unreadable(`files[${index}] needs exactly one of data and url`);
  if (url !== undefined) return { type: 'file', mediaType, url: readUrl(url, index), ...named };
  const text = data instanceof Uint8Array ? Buffer.from(data).toString('base64') : data;
  if (typeof text !== 'string' || !isBase64(text))
    throw unreadable(`files[${index}] has data that is no base64`);
  return { type: 'file', mediaType, data: text, ...named };
}

const MEDIA_TYPE = /^[\w.+-]+\/[\w.+*-]+$/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

export function isBase64(text: string): boolean {
  return text.length % 4 === 0 && BASE64.test(text);
}

function readUrl(url: string | URL, index: number): string {
  const text = String(url);
  if (URL.canParse(text) && /^https?:/i.test(text)) return new URL(text).href;
  throw unreadable(`files[${index}] has a URL that is none of http or https`);
}

/** Nothing of a file is quoted. */
function unreadable(what: string): ToolError {
  return new ToolError(`its result cannot be read: ${what}`, {
    code: 'unreadable-output',
    eventText: `result cannot be read: ${what}`,
  });
}
