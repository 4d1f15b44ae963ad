import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { SafeHttpError } from './safe-http-error.ts';

/** What a body holds after it was decoded, or as much of it as is allowed. */
export interface ReadBody {
  readonly text: string;
  readonly isWhole: boolean;
}

const DECODERS: ReadonlyMap<string, () => NodeJS.ReadWriteStream> = new Map<
  string,
  () => NodeJS.ReadWriteStream
>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/** Reads up to `maxBytes` of what the body says once it is decoded, however small it was on the way. */
export async function readBody(
  body: Readable,
  encoding: string,
  maxBytes: number,
): Promise<ReadBody> {
  const decoded = decodedBody(body, encoding.trim().toLowerCase());
  const chunks: Buffer[] = [];
  let size = 0;
  // Leaving the loop destroys the stream, and what feeds it.
  for await (const chunk of decoded) {
    const bytes = Buffer.from(chunk);
    chunks.push(bytes);
    size += bytes.length;
    if (size > maxBytes) break;
  }
  const whole = Buffer.concat(chunks);
  return { text: whole.toString('utf8', 0, maxBytes), isWhole: size <= maxBytes };
}

function decodedBody(body: Readable, encoding: string): AsyncIterable<Uint8Array> {
  if (encoding === '' || encoding === 'identity') return body;
  const decoder = DECODERS.get(encoding);
  if (decoder === undefined)
    throw new SafeHttpError('failed', 'the answer is encoded in a way that was not asked for');
  // Whoever reads the end of the pipeline is told of its failure.
  return pipeline(body, decoder(), () => undefined) as unknown as Readable; // Every decoder is one.
}
