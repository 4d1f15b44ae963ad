import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { copied, shownField } from './shown.ts';

const field = (schema: z.ZodType) => shownField(schema, z.object);
const words = (schema: z.ZodType) => (field(schema) as { description?: string }).description ?? ''; // Words are the description.

describe('the look of a text, for the model', () => {
  test('U-I5: a format is words in the description', () => {
    expect(copied({ type: 'string', format: 'date', description: 'The day.' })).toEqual({
      type: 'string',
      description: 'The day. A date as year-month-day, such as 2026-10-16.',
    });
  });

  test('U-I5: the words of the schema itself take the place of ours', () => {
    const schema = z.iso
      .date()
      .meta({ description: 'The day', 'x-words': 'Like 16/10 but backwards.' });
    expect(field(schema)).toEqual({
      type: 'string',
      description: 'The day. Like 16/10 but backwards.',
    });
  });

  test('U-I6: a pattern is words too', () => {
    const copy = field(
      z
        .string()
        .regex(/^[A-Z]{2}\d+$/)
        .describe('The order'),
    );
    expect(copy).toEqual({
      type: 'string',
      description: 'The order. Matches the regular expression `^[A-Z]{2}\\d+$`.',
    });
  });

  test.each([
    [z.string().startsWith('ORD-'), 'Begins with "ORD-".'],
    [z.string().endsWith('.pdf'), 'Ends with ".pdf".'],
    [z.string().includes('a+b'), 'Contains "a+b".'],
    [z.string().startsWith('a').endsWith('z'), 'Begins with "a". Ends with "z".'],
    [z.string().regex(/^now$/), 'Exactly "now".'],
    [z.string().regex(/^a.c$/), 'Matches the regular expression `^a.c$`.'],
  ])('U-I6: a pattern that is a plain text is said plainly: %#', (schema, expected) => {
    expect(words(schema)).toBe(expected);
  });

  test.each([
    ['date', z.iso.date()],
    ['datetime', z.iso.datetime()],
    ['local datetime', z.iso.datetime({ local: true })],
    ['datetime with offset', z.iso.datetime({ offset: true, precision: 3 })],
    ['time', z.iso.time()],
    ['time of minutes', z.iso.time({ precision: -1 })],
    ['duration', z.iso.duration()],
    ['email', z.email()],
    ['html5 email', z.email({ pattern: z.regexes.html5Email })],
    ['email beside a check', z.email().max(50).endsWith('.com')],
    ['uuid', z.uuid()],
    ['uuid v7', z.uuidv7()],
    ['uuid beside a check', z.uuid().startsWith('a')],
    ['guid', z.guid()],
    ['ipv4', z.ipv4()],
    ['ipv6', z.ipv6()],
    ['cidrv4', z.cidrv4()],
    ['base64', z.base64()],
    ['base64url', z.base64url()],
    ['e164', z.e164()],
    ['emoji', z.emoji()],
    ['hostname', z.hostname()],
    ['mac', z.mac()],
    ['ulid', z.ulid()],
    ['cuid2', z.cuid2()],
    ['nanoid', z.nanoid()],
    ['jwt', z.jwt()],
    ['a regex of zod itself', z.string().regex(z.regexes.email)],
  ])("U-I7: zod's own regular expression of %s does not leak", (_, schema) => {
    expect(words(schema)).toMatch(/^[A-Z][^`\\]{5,100}\.$/);
    expect(Object.keys(field(schema) as object).toSorted()).toEqual(
      expect.not.arrayContaining(['format', 'pattern', 'allOf', 'contentEncoding']),
    );
  });

  test('U-I7: with a known format only its words are added', () => {
    const copy = copied({ type: 'string', format: 'email', pattern: '^.+@.+$' });
    expect(copy).toEqual({ type: 'string', description: 'An email address.' });
  });

  test('a pattern of your own beside one of zod is said beside it', () => {
    expect(words(z.email().regex(/@corp\.com$/))).toBe('An email address. Ends with "@corp.com".');
  });

  test('U-I8: a format that nobody knows is words', () => {
    expect(copied({ type: 'string', format: 'spelled' })).toEqual({
      type: 'string',
      description: "In the format 'spelled'.",
    });
    expect(words(z.stringFormat('spelled', /^[a-z]$/))).toBe(
      "In the format 'spelled'. Matches the regular expression `^[a-z]$`.",
    );
  });

  test('a format of numbers is no word and no member', () => {
    expect(copied({ type: 'integer', format: 'int32' })).toEqual({ type: 'integer' });
  });
});
