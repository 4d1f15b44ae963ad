import { createReadStream } from 'node:fs';

/** One line of a file; without its text where it is longer than it may be. */
export interface Line {
  /** From 1. */
  readonly number: number;
  readonly text: string | undefined;
}

const NEWLINE = 10;
const PIECE = 256 * 1024;

/**
 * The lines of a file, one at a time: never more of it is in memory than one line and one piece of the file. Of a
 * line that is too long nothing is kept.
 */
export async function* readLines(
  path: string,
  { maxBytes, onBytes }: { readonly maxBytes: number; readonly onBytes: (bytes: number) => void },
): AsyncGenerator<Line> {
  const line = new LineBuffer(maxBytes);
  let number = 1;
  for await (const piece of createReadStream(path, {
    highWaterMark: PIECE,
  }) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = piece.indexOf(NEWLINE); end !== -1; end = piece.indexOf(NEWLINE, start)) {
      line.add(piece.subarray(start, end));
      yield { number, text: line.take() };
      number += 1;
      start = end + 1;
    }
    line.add(piece.subarray(start));
    onBytes(piece.length);
  }
  if (!line.isEmpty) yield { number, text: line.take() };
}

class LineBuffer {
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get isEmpty(): boolean {
    return this.#bytes === 0;
  }

  add(piece: Buffer): void {
    this.#bytes += piece.length;
    if (this.#bytes > this.#maxBytes) this.#pieces = [];
    else this.#pieces.push(piece);
  }

  take(): string | undefined {
    const pieces = this.#pieces;
    const text = this.#bytes > this.#maxBytes ? undefined : Buffer.concat(pieces).toString('utf8');
    this.#pieces = [];
    this.#bytes = 0;
    return text;
  }
}
