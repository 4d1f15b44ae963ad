import type * as FastCheck from 'fast-check';
import type { Words } from './words.ts';

export type Fc = typeof FastCheck;
export type Arbitrary<T> = FastCheck.Arbitrary<T>;

/** Put into texts, so that it shows where they come out again. Nobody's real ones. */
const SECRETS: readonly string[] = [
  'sk-live-Zq81mT0xP4vL7cRyWb2N',
  'AKIAQ7ZRMX3VBN5TLKJ2',
  '4929718305562841',
  'hunter2-Correct.Horse-Battery',
];
/** So many characters in a row of a secret are a leak of it. */
const PART = 8;

/** What has broken programs before. */
const TRAPS: readonly string[] = [
  '',
  ' ',
  '\n',
  '\0',
  '0',
  'null',
  'undefined',
  '__proto__',
  'constructor',
  '{{name}}',
  '$&$1',
  '%',
  '%E0%A4%A',
  '</script>',
  '\u2028',
  '\u202e',
  '\ufeff',
  'ß',
  'İ',
  '😀',
  '👩‍👩‍👧‍👦',
  'e\u0301',
  'ｆｕｌｌ',
];

/** Texts as the engine hands them on: well-formed, and otherwise anything. */
export function textsOf(fc: Fc, words: Words, maxLength: number): Arbitrary<string> {
  const short = fc.string({ unit: 'grapheme', maxLength: Math.min(maxLength, 40) });
  const any = fc.string({ unit: 'binary', maxLength: Math.min(maxLength, 60) });
  const known = words.texts.length > 0 ? fc.constantFrom(...words.texts) : short;
  const phrase = fc
    .array(fc.oneof(known, short), { minLength: 1, maxLength: 3 })
    .map((pieces) => pieces.join(' '));
  const secret = fc
    .tuple(short, fc.constantFrom(...SECRETS), short)
    .map(([before, secretText, after]) => `${before} ${secretText} ${after}`);
  const long = fc
    .tuple(
      fc.constantFrom('a', ' ', '0', 'ab ', '😀', '\n'),
      fc.integer({ min: 1, max: maxLength }),
    )
    .map(([unit, count]) => unit.repeat(Math.ceil(count / unit.length)));
  const branches = [
    { arbitrary: short, weight: 4 },
    { arbitrary: phrase, weight: 4 },
    { arbitrary: any, weight: 2 },
    { arbitrary: fc.constantFrom(...TRAPS), weight: 2 },
    ...(maxLength >= 40 ? [{ arbitrary: secret, weight: 3 }] : []),
    { arbitrary: long, weight: 1 },
  ];
  return fc
    .oneof({ withCrossShrink: true }, ...branches)
    .map((text) => text.slice(0, maxLength).toWellFormed());
}

export function numbersOf(fc: Fc, { numbers }: Words): Arbitrary<number> {
  const any = fc.oneof(
    { arbitrary: fc.integer({ min: -10, max: 1_000 }), weight: 3 },
    { arbitrary: fc.integer(), weight: 1 },
    { arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }), weight: 1 },
  );
  return numbers.length === 0
    ? any
    : fc.oneof({ withCrossShrink: true }, any, fc.constantFrom(...numbers));
}

/** Which secret of what a policy was given is in what it says, also in part. */
export function leaked(input: string, said: string): boolean {
  return SECRETS.some((secret) => {
    if (!input.includes(secret)) return false;
    for (let at = 0; at + PART <= secret.length; at += 1)
      if (said.includes(secret.slice(at, at + PART))) return true;
    return false;
  });
}
