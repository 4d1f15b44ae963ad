import * as z from 'zod';
import type { JsonObject, JsonValue } from '../protocol/json.ts';

/** What a model is told instead of a format: the words say it to every model, and no dialect refuses them. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ['date', 'A date as year-month-day, such as 2026-10-16.'],
  ['time', 'A time of day, such as 14:30:00.'],
  ['date-time', 'A date and time, such as 2026-10-16T14:30:00Z.'],
  ['duration', 'A duration as in ISO 8601, such as P1DT2H.'],
  ['email', 'An email address.'],
  ['idn-email', 'An email address.'],
  ['phone', 'A phone number.'],
  ['e164', 'A phone number with its country code, such as +34600112233.'],
  ['uri', 'A whole URL, such as https://example.com/a.'],
  ['uri-reference', 'A URL or a path.'],
  ['hostname', 'A host name.'],
  ['ipv4', 'An IPv4 address.'],
  ['ipv6', 'An IPv6 address.'],
  ['cidrv4', 'A range of IPv4 addresses, such as 10.0.0.0/8.'],
  ['cidrv6', 'A range of IPv6 addresses, such as fd00::/8.'],
  ['mac', 'A MAC address.'],
  ['uuid', 'A UUID.'],
  ['cuid', 'A CUID.'],
  ['cuid2', 'A CUID2.'],
  ['ulid', 'A ULID.'],
  ['xid', 'An XID.'],
  ['ksuid', 'A KSUID.'],
  ['nanoid', 'A Nano ID.'],
  ['base64', 'In base64.'],
  ['base64url', 'In base64url, without padding.'],
  ['hex', 'In hexadecimal.'],
  ['jwt', 'A JSON web token.'],
  ['json-string', 'A text that is JSON.'],
  ['emoji', 'An emoji.'],
  ['lowercase', 'In lower case.'],
  ['uppercase', 'In upper case.'],
  ['regex', 'A regular expression.'],
  // What zod calls a check for parts of a text: the pattern beside it has the words.
  ['starts_with', ''],
  ['ends_with', ''],
  ['includes', ''],
]);

const PARTS: readonly JsonValue[] = ['starts_with', 'ends_with', 'includes'];

/** The words for what a text must look like; `x-words` says it in words of the tool's own. */
export function formatWords(node: JsonObject): readonly string[] {
  const { format, pattern, 'x-words': own } = node;
  if (typeof own === 'string') return [own];
  if (typeof format === 'string' && !PARTS.includes(format)) {
    const words = WORDS.get(format);
    // Beside a known format there is mostly its regular expression, which says the same and says it worse.
    return words === undefined ? [`In the format '${format}'.`, ...patternWords(pattern)] : [words];
  }
  return patternWords(pattern);
}

function patternWords(pattern: JsonValue | undefined): readonly string[] {
  if (typeof pattern !== 'string') return [];
  const known = formatOf(pattern);
  const words = known === undefined ? undefined : WORDS.get(known);
  return [words ?? literalWords(pattern) ?? `Matches the regular expression \`${pattern}\`.`];
}

/** The format of which a regular expression is zod's own, in whatever variant. */
function formatOf(pattern: string): string | undefined {
  return pattern.startsWith(DATE_TIME) ? 'date-time' : PATTERNS.get(pattern);
}

const DATE_TIME = `${z.regexes.date.source.slice(0, -1)}T(?:`;
const PRECISIONS: readonly (number | null)[] = [null, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

const PATTERNS: ReadonlyMap<string, string> = new Map([
  ...PRECISIONS.map((precision): [string, string] => [
    z.regexes.time({ precision }).source,
    'time',
  ]),
  ...patternsOf('date', ['date']),
  ...patternsOf('email', ['email', 'html5Email', 'rfc5322Email', 'unicodeEmail', 'browserEmail']),
  ...patternsOf('uuid', ['guid', 'uuid4', 'uuid6', 'uuid7']),
  [z.regexes.uuid().source, 'uuid'],
  ...patternsOf('duration', ['duration', 'extendedDuration']),
  ...patternsOf('ipv4', ['ipv4']),
  ...patternsOf('ipv6', ['ipv6']),
  ...patternsOf('cidrv4', ['cidrv4']),
  ...patternsOf('cidrv6', ['cidrv6']),
  ...patternsOf('base64', ['base64']),
  ...patternsOf('base64url', ['base64url']),
  ...patternsOf('hostname', ['hostname', 'domain']),
  ...patternsOf('e164', ['e164']),
  ...patternsOf('hex', ['hex']),
  ...patternsOf('lowercase', ['lowercase']),
  ...patternsOf('uppercase', ['uppercase']),
]);

function patternsOf(
  format: string,
  names: readonly (keyof typeof z.regexes)[],
): [string, string][] {
  const regexes: unknown[] = names.map((name) => z.regexes[name]);
  return regexes.flatMap((one) => (one instanceof RegExp ? [[one.source, format]] : []));
}

/** Words for the patterns of a text that begins with, ends with or contains a text. */
function literalWords(pattern: string): string | undefined {
  const [, start, literal = '', end] = /^(\^|\.\*)?(.*?)(\.\*|\$)?$/s.exec(pattern) ?? [];
  if (literal === '' || !/^(?:[\p{L}\p{N}\s_\-/@#,:;'"!%&=~<>]|\\[^\p{L}\p{N}])+$/u.test(literal))
    return undefined;
  const text = JSON.stringify(literal.replaceAll(/\\(.)/g, '$1'));
  if (start === '^' && end === '$') return `Exactly ${text}.`;
  if (start === '^') return `Begins with ${text}.`;
  return end === '$' ? `Ends with ${text}.` : `Contains ${text}.`;
}
