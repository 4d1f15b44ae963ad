import type { JsonValue } from '../protocol/json.ts';

/** What a text means, where its schema says so. */
export type SpokenAs = 'date' | 'time' | 'date-time' | 'phone' | 'choice';

/** Who is spoken to, and when. */
export interface Saying {
  /** A language tag, such as `es` or `en-GB`. */
  readonly language: string;
  /** An IANA name. Without it nobody knows which day it is for the user. */
  readonly timeZone?: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** A value in the words of a line. What is not of the form that its schema promises is said as it is. */
export function sayValue(value: JsonValue, as: SpokenAs | undefined, saying: Saying): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  switch (as) {
    case 'date':
      return sayDate(value, saying) ?? value;
    case 'time':
      return sayTime(value, saying) ?? value;
    case 'date-time':
      return sayDateTime(value, saying) ?? value;
    case 'phone':
      return sayPhone(value);
    case 'choice':
      return sayChoice(value);
    case undefined:
      return value;
  }
}

const DAY_MS = 86_400_000;
const DATE = /^\d{4}-\d\d-\d\d$/;
const TIME = /^(\d\d):(\d\d)(?::(\d\d))?(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?$/i;
const DATE_TIME = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d(?::\d\d)?)(?:\.\d+)?(Z|[+-]\d\d:\d\d)?$/i;

const CLOCK: Intl.DateTimeFormatOptions = { hour: 'numeric', minute: '2-digit' };
const DAY: Intl.DateTimeFormatOptions = { month: 'long', day: 'numeric' };
const FULL: Intl.DateTimeFormatOptions = { ...DAY, weekday: 'long', year: 'numeric' };

function sayDate(text: string, saying: Saying): string | undefined {
  const day = DATE.test(text) ? momentOf(`${text}T00:00:00Z`) : undefined;
  // A 30th of February would be one of March.
  if (day === undefined || !day.toISOString().startsWith(text)) return undefined;
  return sayMoment(day, 'UTC', { saying, clock: {} });
}

/** In the zone of the user; without one as it is written, with the name of the zone where that is UTC. */
function sayDateTime(text: string, saying: Saying): string | undefined {
  const [, day, time, offset = ''] = DATE_TIME.exec(text) ?? [];
  if (day === undefined || time === undefined) return undefined;
  const { timeZone } = saying;
  if (timeZone !== undefined && offset !== '') {
    const moment = momentOf(text);
    return moment && sayMoment(moment, timeZone, { saying, clock: CLOCK });
  }
  const written = momentOf(`${day}T${time}Z`);
  const isUtc = offset.toUpperCase() === 'Z';
  const clock = isUtc ? { ...CLOCK, timeZoneName: 'short' as const } : CLOCK;
  return written && sayMoment(written, 'UTC', { saying, clock });
}

/** Near days are called what people call them; for others the weekday, and the year where it is not this one. */
function sayMoment(
  moment: Date,
  zone: string,
  { saying, clock }: { readonly saying: Saying; readonly clock: Intl.DateTimeFormatOptions },
): string {
  const { language, timeZone, now } = saying;
  const say = (form: Intl.DateTimeFormatOptions): string =>
    format(moment, { language, timeZone: zone, form: { ...form, ...clock } });
  if (timeZone === undefined) return say(FULL);
  const day = dayIn(moment, zone);
  const today = dayIn(new Date(now), timeZone);
  const near = nearDay(Math.round((day - today) / DAY_MS), language);
  if (near !== undefined) return `${near}, ${say(DAY)}`;
  const isThisYear = new Date(day).getUTCFullYear() === new Date(today).getUTCFullYear();
  return say(isThisYear ? { ...DAY, weekday: 'long' } : FULL);
}

/** What the language has a word for: no language has many, and some have one for the day after tomorrow. */
function nearDay(days: number, language: string): string | undefined {
  if (Math.abs(days) > 2) return undefined;
  const words = new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).formatToParts(
    days,
    'day',
  );
  const hasNumber = words.some(({ type }) => type === 'integer');
  return hasNumber ? undefined : words.map(({ value }) => value).join('');
}

/** The day of a moment in a zone, as midnight UTC, so that days can be counted. */
function dayIn(moment: Date, timeZone: string): number {
  const form = { year: 'numeric', month: 'numeric', day: 'numeric' } as const;
  const parts = new Intl.DateTimeFormat('en-u-ca-gregory-nu-latn', {
    timeZone,
    ...form,
  }).formatToParts(moment);
  const read = (type: string): number => Number(parts.find((part) => part.type === type)?.value);
  return Date.UTC(read('year'), read('month') - 1, read('day'));
}

function sayTime(text: string, { language }: Saying): string | undefined {
  const [, hours, minutes, seconds = '00'] = TIME.exec(text) ?? [];
  const moment = momentOf(`1970-01-01T${hours}:${minutes}:${seconds}Z`);
  const form = seconds === '00' ? CLOCK : { ...CLOCK, second: '2-digit' as const };
  return moment && format(moment, { language, timeZone: 'UTC', form });
}

function momentOf(iso: string): Date | undefined {
  const moment = new Date(iso);
  return Number.isNaN(moment.getTime()) ? undefined : moment;
}

/** With plain blanks: the narrow ones before `PM` are for typesetters. */
function format(
  moment: Date,
  as: {
    readonly language: string;
    readonly timeZone: string;
    readonly form: Intl.DateTimeFormatOptions;
  },
): string {
  const { language, timeZone, form } = as;
  const text = new Intl.DateTimeFormat(language, { ...form, timeZone }).format(moment);
  return text.replace(/[\u00a0\u2009\u202f]/g, ' ');
}

/** Codes of one and two digits; all others have three. */
const COUNTRY = /^(1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})(\d{4,})$/;

/** The country first, then groups of three, of which the last takes a single digit that would be left. */
function sayPhone(text: string): string {
  const [, country, rest] = COUNTRY.exec(text.replace(/^\+/, '')) ?? [];
  if (!text.startsWith('+') || country === undefined || rest === undefined) return text;
  return `+${country} ${rest.replace(/\d{3}(?=\d{2})/g, '$& ')}`;
}

/** `future_day`, `future-day` and `futureDay` are for code. */
function sayChoice(text: string): string {
  const apart = text.replace(/(\p{Ll}|\p{N})(\p{Lu})(?=\p{Ll})/gu, (_all, before, first) => {
    return `${before} ${String(first).toLowerCase()}`;
  });
  return apart.replace(/[_-]+/g, ' ').trim() || text;
}
