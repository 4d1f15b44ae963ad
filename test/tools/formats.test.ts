import { toolFormats } from 'agent-hooks/tools';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

const { date, time, dateTime, phone } = toolFormats;

describe('a format', () => {
  test.each([
    ['date', date()],
    ['time', time()],
    ['date-time', dateTime()],
    ['phone', phone()],
  ])('says itself in the schema that the model gets: %s', (format, schema) => {
    expect(z.toJSONSchema(schema, { io: 'input' })).toMatchObject({ type: 'string', format });
  });

  test('of a day is a Date at midnight UTC, and a day again', () => {
    const day = z.decode(date(), '2026-10-16');
    expect(day.toISOString()).toBe('2026-10-16T00:00:00.000Z');
    expect(z.encode(date(), day)).toBe('2026-10-16');
  });

  test('of a moment is a Date, whatever its offset', () => {
    const moment = z.decode(dateTime(), '2026-10-16T01:00:00+02:00');
    expect(moment.toISOString()).toBe('2026-10-15T23:00:00.000Z');
    expect(z.encode(dateTime(), moment)).toBe('2026-10-15T23:00:00.000Z');
  });

  test.each([
    ['19:30', '19:30'],
    ['19:30:00', '19:30'],
    ['19:30:05', '19:30:05'],
    ['00:00:00.000', '00:00'],
  ])('of a time of day has no seconds where there are none: %s', (given, clean) => {
    expect([z.decode(time(), given), z.encode(time(), given)]).toEqual([clean, clean]);
  });

  test.each([
    ['+34 600 11 22 33', '+34600112233'],
    ['+34-600-11-22-33', '+34600112233'],
    ['0034 (600) 112.233', '+34600112233'],
    ['+1 212/555‑0100', '+12125550100'],
  ])('of a phone number is digits: %s', (given, clean) => {
    expect(z.decode(phone(), given)).toBe(clean);
  });

  test.each([
    ['a day that is none', date(), '2026-02-30'],
    ['words', date(), 'tomorrow'],
    ['a day where a moment is due', dateTime(), '2026-10-16'],
    ['a moment without offset', dateTime(), '2026-10-16T10:00:00'],
    ['an hour that is none', time(), '25:00'],
    ['a number without country', phone(), '600112233'],
    ['a number with letters', phone(), '+34 CALL ME'],
    ['a number that is too short', phone(), '+34 1'],
    ['a number that is too long', phone(), `+${'1'.repeat(16)}`],
  ])('refuses %s', (_name, schema, text) => {
    expect(z.safeDecode(schema as z.ZodType<unknown, string>, text).success).toBe(false);
  });

  test('of a hostile number is read in a moment', () => {
    const started = performance.now();
    z.safeDecode(phone(), `+${'1 '.repeat(200_000)}x`);
    expect(performance.now() - started).toBeLessThan(500);
  });

  test('can be described and made optional like any other schema', () => {
    const schema = z.object({ day: date().describe('When').optional() });
    expect(z.toJSONSchema(schema, { io: 'input' })).toMatchObject({
      properties: { day: { description: 'When', format: 'date' } },
    });
  });
});
