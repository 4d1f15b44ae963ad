import { ConfigError } from '../errors/config-error.ts';
import type { TextWindow } from '../protocol/texts.ts';

/** What must not leave, not even in part. */
export interface HeldPatterns {
  /** Fixed texts, compared as they are, and regular expressions, whose flags `g` and `y` do not matter. */
  readonly patterns: readonly (string | RegExp)[];
  /**
   * The most characters (UTF-16 units) a regular expression has to see to match, what it looks ahead at included.
   * Of what is longer the part before the last so many characters may leave. Needed for regular expressions only.
   */
  readonly maxMatchLength?: number;
}

/**
 * How many characters of a window may be released so that nothing a pattern matches leaves, however the model cut
 * it into pieces: up to the first match, or to where a match could still begin. At the end of an answer only whole
 * matches count. Looks back at what was released, as `\b` and lookbehind need it.
 *
 * Throws `ConfigError` for a regular expression without `maxMatchLength`, and for a pattern that is neither.
 *
 * @example
 * const chars = releasable(window, { patterns: [/\b\d{16}\b/], maxMatchLength: 17 });
 * return window.isFinal && chars < window.text.length
 *   ? WindowDecision.block('a card number')
 *   : WindowDecision.release(chars);
 */
export function releasable(window: TextWindow, held: HeldPatterns): number {
  const { text, before, isFinal } = window;
  const whole = before + text;
  let end = whole.length;
  for (const pattern of held.patterns) {
    if (typeof pattern === 'string' && pattern !== '') {
      end = Math.min(end, startOfText(whole, pattern, { from: before.length, isFinal }));
    } else if (pattern instanceof RegExp) {
      const length = lengthOf(held);
      end = Math.min(end, startOfMatch(whole, pattern, { from: before.length, length }));
      if (!isFinal) end = Math.min(end, whole.length - length + 1);
    } else {
      throw invalid('a pattern is neither a text with characters in it nor a regular expression');
    }
  }
  return Math.max(0, end - before.length);
}

interface Place {
  /** Where what is held begins. */
  readonly from: number;
}

/** Where the first occurrence that is not out yet begins, or the one that the text may end in the middle of. */
function startOfText(
  whole: string,
  secret: string,
  { from, isFinal }: Place & { readonly isFinal: boolean },
): number {
  const found = whole.indexOf(secret, Math.max(0, from - secret.length + 1));
  if (found !== -1) return found;
  if (isFinal) return whole.length;
  for (let length = Math.min(secret.length - 1, whole.length); length > 0; length -= 1) {
    if (whole.endsWith(secret.slice(0, length))) return whole.length - length;
  }
  return whole.length;
}

/** Where the first match that is not out yet begins; one that overlaps an earlier match counts too. */
function startOfMatch(
  whole: string,
  pattern: RegExp,
  { from, length }: Place & { readonly length: number },
): number {
  const search = new RegExp(pattern.source, `${pattern.flags.replace(/[gy]/g, '')}g`);
  for (let at = Math.max(0, from - length + 1); ; at += 1) {
    search.lastIndex = at;
    const match = search.exec(whole);
    if (match === null) return whole.length;
    const [matched] = match;
    if (matched !== '' && match.index + matched.length > from) return match.index;
    // Within a surrogate pair the search begins before `at`, and must not do so for ever.
    at = Math.max(at, match.index);
  }
}

function lengthOf({ maxMatchLength }: HeldPatterns): number {
  if (maxMatchLength !== undefined && Number.isSafeInteger(maxMatchLength) && maxMatchLength > 0) {
    return maxMatchLength;
  }
  throw invalid('a regular expression needs `maxMatchLength`, a whole number from 1');
}

function invalid(what: string): ConfigError {
  return new ConfigError('invalid-input', {
    where: 'releasable',
    what,
    fix: "Write it as `releasable(window, { patterns: ['text', /a+/], maxMatchLength: 20 })`",
  });
}
