import { checkKeys } from '../errors/check-keys.ts';

export interface ChunkOptions {
  /** What must not leave in part: cut within it first. */
  readonly secrets?: readonly string[];
  /** How many ways to cut at most. Default: 200. */
  readonly limit?: number;
}

const OPTIONS = Object.keys({ secrets: true, limit: true } satisfies Record<
  keyof ChunkOptions,
  true
>);

const DEFAULT_LIMIT = 200;
/** Up to so many characters every way to cut is tried. */
const ALL_WAYS = 8;

/**
 * The ways in which a model may stream a text, each a list of its pieces: whole, character by character, cut once at
 * every place, also within a surrogate pair and within each secret, cut on both sides of it and in even pieces. Of a
 * text of up to 8 characters (UTF-16 units) all ways, of a longer one up to `limit`, the likeliest to break first.
 * The same ways each time. Give them to a model as `{ pieces }`.
 *
 * @example
 * for (const pieces of chunked('card 4929718305562841', { secrets: ['4929718305562841'] })) { … }
 */
export function chunked(text: string, options: ChunkOptions = {}): readonly (readonly string[])[] {
  checkKeys('chunked', options, OPTIONS);
  const secrets = (options.secrets ?? []).flatMap((secret) => rangesOf(text, secret));
  const pairs = [...text].length === text.length ? [] : pairsOf(text);
  const cuts = waysOf({ length: text.length, secrets, pairs }, options.limit);
  return cuts.map((places) => pieces(places, text.length, (from, to) => text.slice(from, to)));
}

/**
 * The same of its UTF-8 bytes, as they come over a wire: cut within characters too. For what decodes a stream itself.
 */
export function chunkedBytes(
  text: string,
  options: ChunkOptions = {},
): readonly (readonly Uint8Array[])[] {
  checkKeys('chunkedBytes', options, OPTIONS);
  const encoder = new TextEncoder();
  const bytes = encoder.encode(text);
  const at = (index: number): number => encoder.encode(text.slice(0, index)).length;
  const secrets = (options.secrets ?? [])
    .flatMap((secret) => rangesOf(text, secret))
    .map(([from, to]): Range => [at(from), at(to)]);
  // A byte that goes on begins with the bits 10.
  const within = [...bytes.keys()].filter((index) => ((bytes[index] ?? 0) & 0xc0) === 0x80);
  const cuts = waysOf({ length: bytes.length, secrets, pairs: within }, options.limit);
  return cuts.map((places) => pieces(places, bytes.length, (from, to) => bytes.slice(from, to)));
}

type Range = readonly [from: number, to: number];

interface Whole {
  readonly length: number;
  readonly secrets: readonly Range[];
  /** Places within a character. */
  readonly pairs: readonly number[];
}

/** Lists of places to cut at, each once. */
function waysOf(whole: Whole, limit: number = DEFAULT_LIMIT): readonly (readonly number[])[] {
  const ways = new Map<string, readonly number[]>();
  for (const places of candidates(whole)) {
    if (ways.size >= limit) break;
    ways.set(places.join(), places);
  }
  return [...ways.values()];
}

function* candidates({ length, secrets, pairs }: Whole): Generator<readonly number[]> {
  yield [];
  if (length <= ALL_WAYS) {
    for (let mask = 1; mask < 2 ** Math.max(0, length - 1); mask += 1)
      yield range(1, length).filter((place) => (mask & (1 << (place - 1))) !== 0);
    return;
  }
  const all = range(1, length);
  yield all;
  if (pairs.length > 0) yield pairs;
  for (const [from, to] of secrets) {
    yield [from, to].filter((place) => place > 0 && place < length);
    yield [...new Set([from + 1, to - 1])].filter((place) => place > from && place < to);
    yield range(from + 1, to);
  }
  for (const [from, to] of secrets) for (const place of range(from + 1, to)) yield [place];
  for (const place of pairs) yield [place];
  for (const size of [2, 3, 5, 8, 13]) yield all.filter((place) => place % size === 0);
  for (const place of spread(all)) yield [place];
  for (const [index, place] of all.entries())
    for (const other of all.slice(index + 1)) yield [place, other];
}

/** The ends, the middle, the quarters and so on, so that a limit leaves no part of a long text out. */
function spread(all: readonly number[]): readonly number[] {
  const order: number[] = [];
  for (let step = all.length; step >= 1; step = Math.floor(step / 2))
    for (let index = 0; index < all.length; index += step) order.push(all[index] ?? 1);
  return [...new Set([...order, ...all])];
}

function pieces<T>(
  places: readonly number[],
  length: number,
  slice: (from: number, to: number) => T,
): readonly T[] {
  const ends = [...places, length];
  return ends.map((end, index) => slice(ends[index - 1] ?? 0, end));
}

function rangesOf(text: string, secret: string): readonly Range[] {
  const ranges: Range[] = [];
  if (secret === '') return ranges;
  for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + 1))
    ranges.push([at, at + secret.length]);
  return ranges;
}

function pairsOf(text: string): readonly number[] {
  return range(1, text.length).filter((place) => (text.codePointAt(place - 1) ?? 0) > 0xffff);
}

function range(from: number, to: number): readonly number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
}
