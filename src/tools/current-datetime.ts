import * as z from 'zod';
import { ConfigError } from '../errors/config-error.ts';
import { kindOf } from '../internal/kind-of.ts';
import { checkNamed, type NamedOptions } from './check-named.ts';
import { type Tool, tool } from './tool.ts';

export interface CurrentDatetimeOptions extends NamedOptions {
  /** The clock. Default: that of the process. */
  readonly now?: () => Date;
}

const DESCRIPTION =
  'Tells the date and the time now. Use it for every question about today, tomorrow or now.';

const moment = z
  .object({
    timezone: z.string(),
    local_datetime: z.string(),
    local_date: z.string(),
    local_time: z.string(),
    day_of_week: z.string(),
    utc_offset: z.string(),
    is_dst: z.boolean(),
  })
  .meta({ title: 'Moment' });

/**
 * A tool without arguments that tells a model what time it is in a zone, which is an IANA name such as
 * `Europe/Madrid`; default `UTC`. Harmless: runs without asking. Throws `ConfigError` for another kind of zone, as an
 * offset is wrong for half of the year.
 */
export function currentDatetimeTool(
  timezone = 'UTC',
  options: CurrentDatetimeOptions = {},
): Tool<Record<string, never>> {
  checkNamed('currentDatetimeTool()', options, ['now']);
  const { name = 'current_datetime', description = DESCRIPTION, now = () => new Date() } = options;
  if (typeof now !== 'function')
    throw invalid('`now` is no function', 'Give one that returns a Date');
  const format = formatterOf(timezone);
  return tool({
    name,
    description,
    inputSchema: z.object({}),
    outputSchema: moment,
    sideEffects: 'none',
    execute: () => momentIn(format, timezone, now()),
  });
}

function formatterOf(timezone: string): Intl.DateTimeFormat {
  const fix = 'Give an IANA name, such as `Europe/Madrid` or `UTC`';
  if (typeof timezone !== 'string')
    throw invalid(`the zone is ${kindOf(timezone)} and no text`, fix);
  // Newer engines take offsets, too.
  if (!/^[A-Za-z]/.test(timezone))
    throw invalid(`'${timezone.slice(0, 80)}' is no name of a zone`, fix);
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone: timezone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      weekday: 'long',
      timeZoneName: 'longOffset',
    });
  } catch (cause) {
    throw invalid(`there is no zone '${timezone.slice(0, 80)}'`, fix, { cause });
  }
}

function momentIn(format: Intl.DateTimeFormat, timezone: string, at: Date): z.input<typeof moment> {
  const part = partsOf(format, at);
  const date = `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}`;
  const time = `${part('hour')}:${part('minute')}:${part('second')}`;
  const offset = offsetIn(format, at);
  return {
    timezone,
    local_datetime: `${date}T${time}${offset}`,
    local_date: date,
    local_time: time,
    day_of_week: part('weekday'),
    utc_offset: offset,
    is_dst: minutesOf(offset) > standardMinutes(format, Number(part('year'))),
  };
}

/** In January or in July a zone has its standard time, on whichever half of the earth it lies. */
function standardMinutes(format: Intl.DateTimeFormat, year: number): number {
  const [january, july] = [0, 6].map((month) =>
    minutesOf(offsetIn(format, new Date(Date.UTC(year, month, 1, 12)))),
  );
  return Math.min(january ?? 0, july ?? 0);
}

function offsetIn(format: Intl.DateTimeFormat, at: Date): string {
  const offset = partsOf(format, at)('timeZoneName').replace(/^GMT/, '');
  return offset === '' ? '+00:00' : offset;
}

function minutesOf(offset: string): number {
  const [hours = 0, minutes = 0] = offset.slice(1).split(':').map(Number);
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

function partsOf(
  format: Intl.DateTimeFormat,
  at: Date,
): (type: Intl.DateTimeFormatPartTypes) => string {
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
  return (type) => parts.get(type) ?? '';
}

function invalid(what: string, fix: string, options?: { readonly cause: unknown }): ConfigError {
  return new ConfigError('invalid-option', { where: 'currentDatetimeTool()', what, fix }, options);
}
