import * as z from 'zod';

/*
 * Types for the arguments and results of tools whose JSON form is a text. On each side the format is said once, as
 * `format`, and what code gets is checked and clean.
 */

/** What a model writes as `2026-10-16`, and code gets as a `Date` at midnight UTC: read it with `getUTCDate()` and the like. */
function date(): z.ZodCodec<z.ZodISODate, z.ZodDate> {
  return z.codec(z.iso.date(), z.date(), {
    decode: (text) => new Date(`${text}T00:00:00.000Z`),
    encode: (day) => day.toISOString().slice(0, 10),
  });
}

/** What a model writes as `19:30` or `19:30:00`, and code gets in this shorter form, seconds only where there are some. */
function time(): z.ZodCodec<z.ZodISOTime, z.ZodString> {
  // Zod leaves the format out of its JSON Schema, as there it would want an offset.
  const written = z.iso.time().meta({ format: 'time' });
  return z.codec(written, z.string(), { decode: shortTime, encode: shortTime });
}

/** What a model writes as `2026-10-16T19:30:00+02:00`, always with its offset, and code gets as a `Date`. */
function dateTime(): z.ZodCodec<z.ZodISODateTime, z.ZodDate> {
  return z.codec(z.iso.datetime({ offset: true }), z.date(), {
    decode: (text) => new Date(text),
    encode: (moment) => moment.toISOString(),
  });
}

/** A phone number with its country, which code gets as `+` and digits: `+34 600 11 22 33` is `+34600112233`. */
function phone(): z.ZodCodec<z.ZodString, z.ZodString> {
  const written = z
    .string()
    .refine((text) => E164.test(digitsOf(text)), {
      error: 'must be a phone number with its country code, such as +34600112233',
    })
    .meta({ format: 'phone' });
  return z.codec(written, z.string(), { decode: digitsOf, encode: digitsOf });
}

const E164 = /^\+[1-9]\d{6,14}$/;

/** People put blanks, dots, dashes and brackets into a number, and `00` for the plus. Letters stay, and are refused. */
function digitsOf(text: string): string {
  return text.replace(/[\s().\-/\u2010-\u2015]/g, '').replace(/^00/, '+');
}

function shortTime(text: string): string {
  return text.replace(/^(\d\d:\d\d):00(\.0+)?$/, '$1');
}

/** Schemas for dates, times and phone numbers, for `inputSchema` and `outputSchema`. Each call makes a new one. */
export const toolFormats: {
  readonly date: typeof date;
  readonly time: typeof time;
  readonly dateTime: typeof dateTime;
  readonly phone: typeof phone;
} = Object.freeze({ date, time, dateTime, phone });
