import { describe, expect, test } from 'vitest';
import { type SpokenAs, sayValue } from '../../src/loop/say-value.ts';

const now = Date.parse('2026-10-15T10:00:00Z');
const say = (value: string, as: SpokenAs, timeZone?: string) =>
  sayValue(value, as, { language: 'en', now, ...(timeZone !== undefined && { timeZone }) });
const MADRID = 'Europe/Madrid';

describe('a value in words', () => {
  test.each([
    ['U-K16', '2026-10-16', 'tomorrow, October 16'],
    ['U-K16', '2026-10-15', 'today, October 15'],
    ['U-K16', '2026-10-14', 'yesterday, October 14'],
    ['U-K16: one that has no name of its own', '2026-10-17', 'Saturday, October 17'],
    ['U-K16: one of another year', '2027-01-02', 'Saturday, January 2, 2027'],
    ['U-K16: one that does not exist', '2026-02-30', '2026-02-30'],
    ['U-K16: no date at all', 'soon', 'soon'],
  ])('%s: a date where the zone is known: %s', (_, value, words) => {
    expect(say(value, 'date', MADRID)).toBe(words);
  });

  test('U-K16: what day it is depends on the zone', () => {
    expect(say('2026-10-16', 'date', 'Pacific/Kiritimati')).toBe('today, October 16');
    expect(say('2026-10-16', 'date', 'Pacific/Pago_Pago')).toBe('Friday, October 16');
  });

  test('U-K17: a date in full where it is not', () => {
    expect(say('2026-10-16', 'date')).toBe('Friday, October 16, 2026');
  });

  test.each([
    ['2026-10-16T19:30:00+02:00', MADRID, 'tomorrow, October 16 at 7:30 PM'],
    ['2026-10-15T22:30:00Z', MADRID, 'tomorrow, October 16 at 12:30 AM'],
    ['2026-10-30T22:30:00.000Z', MADRID, 'Friday, October 30 at 11:30 PM'],
    ['2026-10-16T09:00', MADRID, 'tomorrow, October 16 at 9:00 AM'],
    ['2026-10-16T19:30:00+02:00', undefined, 'Friday, October 16, 2026 at 7:30 PM'],
    ['2026-10-16T17:30:00Z', undefined, 'Friday, October 16, 2026 at 5:30 PM UTC'],
    ['2026-10-16', MADRID, '2026-10-16'],
    ['2026-10-16T29:00:00Z', MADRID, '2026-10-16T29:00:00Z'],
  ])('U-K18: a date-time has its time: %s in %s', (value, zone, words) => {
    expect(say(value, 'date-time', zone)).toBe(words);
  });

  test.each([
    ['09:00', '9:00 AM'],
    ['19:30:00', '7:30 PM'],
    ['09:00:30', '9:00:30 AM'],
    ['25:00', '25:00'],
    ['noon', 'noon'],
  ])('U-K18: the time %s', (value, words) => {
    expect(say(value, 'time')).toBe(words);
  });

  test.each([
    ['2026-10-16', 'date', 'es', 'mañana, 16 de octubre'],
    ['2026-10-17', 'date', 'es', 'pasado mañana, 17 de octubre'],
    ['2026-11-16', 'date', 'de', 'Montag, 16. November'],
    ['19:30', 'time', 'es', '19:30'],
  ] as const)('U-A6: %s in the language of the user (%s, %s)', (...row) => {
    const [value, as, language, words] = row;
    expect(sayValue(value, as, { language, timeZone: MADRID, now })).toBe(words);
  });

  test.each([
    ['+34600112233', '+34 600 112 233'],
    ['+15551234567', '+1 555 123 4567'],
    ['+351912345678', '+351 912 345 678'],
    ['600112233', '600112233'],
  ])('U-K19: the phone %s', (value, words) => {
    expect(say(value, 'phone')).toBe(words);
  });

  test.each([
    ['future_day', 'future day'],
    ['fast-track', 'fast track'],
    ['pastDay', 'past day'],
    ['VIP', 'VIP'],
    ['_', '_'],
  ])('U-K20: the choice %s', (value, words) => {
    expect(say(value, 'choice')).toBe(words);
  });

  test('U-K21: anything else as it is', () => {
    const saying = { language: 'en', now };
    const as = (value: Parameters<typeof sayValue>[0]) => sayValue(value, undefined, saying);
    expect(['future_day', 12, true, ['a', 1]].map(as)).toEqual([
      'future_day',
      '12',
      'true',
      '["a",1]',
    ]);
  });
});
