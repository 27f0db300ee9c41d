import { location } from '../errors.js';
import { dayOfYear, isoDayOfWeek, isoWeek, isoWeekYear, weekOfYear } from './calendar.js';
import { dateFrom } from './parse-date.js';
import { wallClock, type Zone, zoneOf } from './time-zone.js';

const MONTHS = 'January February March April May June July August September October November December'.split(' ');

const pad = (value: number, width: number) => String(value).padStart(width, '0');

function offsetText(offsetMs: number): string {
  const minutes = Math.abs(offsetMs) / 60_000;
  return `${offsetMs < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60), 2)}${pad(minutes % 60, 2)}`;
}

/** Source: MongoDB manual, "$dateToString", Format Specifiers. */
const SPECIFIERS: Readonly<Record<string, (wall: Date, offsetMs: number) => string>> = {
  b: (wall) => MONTHS[wall.getUTCMonth()]!.slice(0, 3),
  B: (wall) => MONTHS[wall.getUTCMonth()]!,
  d: (wall) => pad(wall.getUTCDate(), 2),
  G: (wall) => pad(isoWeekYear(wall), 4),
  H: (wall) => pad(wall.getUTCHours(), 2),
  j: (wall) => pad(dayOfYear(wall), 3),
  L: (wall) => pad(wall.getUTCMilliseconds(), 3),
  m: (wall) => pad(wall.getUTCMonth() + 1, 2),
  M: (wall) => pad(wall.getUTCMinutes(), 2),
  S: (wall) => pad(wall.getUTCSeconds(), 2),
  u: (wall) => String(isoDayOfWeek(wall)),
  U: (wall) => pad(weekOfYear(wall), 2),
  V: (wall) => pad(isoWeek(wall), 2),
  w: (wall) => String(wall.getUTCDay() + 1),
  Y: (wall) => pad(wall.getUTCFullYear(), 4),
  z: (_wall, offsetMs) => offsetText(offsetMs),
  Z: (_wall, offsetMs) => String(offsetMs / 60_000),
  '%': () => '%',
};

export function checkFormat(format: string): void {
  for (const found of format.matchAll(/%([\s\S]?)/g)) {
    const specifier = found[1]!;
    if (specifier === '') throw location(18535, "Unmatched '%' at end of format string");
    if (!Object.hasOwn(SPECIFIERS, specifier)) {
      throw location(18536, `Invalid format character '%${specifier}' in format string`);
    }
  }
}

/** `format` has been checked. */
export function formatDate(date: Date, format: string, zone: Zone): string {
  const offset = zone(date.getTime());
  const wall = wallClock(date.getTime(), zone);
  return format.replace(/%([\s\S])/g, (_, specifier: string) => SPECIFIERS[specifier]!(wall, offset));
}

interface Read {
  readonly pattern: string;
  readonly field: string;
}

/** What `$dateFromString` reads. Week-based specifiers are refused. */
const READS: Readonly<Record<string, Read>> = {
  Y: { pattern: '\\d{4}', field: 'year' },
  m: { pattern: '\\d{1,2}', field: 'month' },
  d: { pattern: '\\d{1,2}', field: 'day' },
  H: { pattern: '\\d{1,2}', field: 'hour' },
  M: { pattern: '\\d{1,2}', field: 'minute' },
  S: { pattern: '\\d{1,2}', field: 'second' },
  L: { pattern: '\\d{1,3}', field: 'ms' },
  j: { pattern: '\\d{1,3}', field: 'dayOfYear' },
  b: { pattern: '[A-Za-z]{3}', field: 'monthName' },
  B: { pattern: '[A-Za-z]+', field: 'monthName' },
  z: { pattern: 'Z|[+-]\\d{2}:?\\d{2}', field: 'offset' },
  Z: { pattern: '[+-]?\\d+', field: 'offsetMinutes' },
};

/** Compiles a format to a reader; the reader gives undefined for text that does not fit. */
export function dateReader(format: string): (text: string, zone: Zone) => Date | undefined {
  const fields: string[] = [];
  const source = format.replace(/%([\s\S]?)|[\s\S]/g, (token, specifier?: string) => {
    if (specifier === undefined) return token.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    if (specifier === '%') return '%';
    if (specifier === '') throw location(18535, "Unmatched '%' at end of format string");
    const read = Object.hasOwn(READS, specifier) ? READS[specifier] : undefined;
    if (read === undefined) throw location(18536, `Invalid format character '%${specifier}' in format string`);
    fields.push(read.field);
    return `(${read.pattern})`;
  });
  const pattern = new RegExp(`^${source}$`);
  return (text, zone) => {
    const found = pattern.exec(text);
    if (found === null) return undefined;
    const values = Object.fromEntries(fields.map((field, index) => [field, found[index + 1]!]));
    return fromFields(values, zone);
  };
}

function fromFields(values: Readonly<Record<string, string>>, zone: Zone): Date | undefined {
  const number = (field: string, fallback: number) => (values[field] === undefined ? fallback : Number(values[field]));
  let month = number('month', 1);
  if (values.monthName !== undefined) {
    const name = values.monthName.toLowerCase();
    month = MONTHS.findIndex((full) => full.toLowerCase() === name || full.slice(0, 3).toLowerCase() === name) + 1;
    if (month === 0) return undefined;
  }
  let within = zone;
  if (values.offset !== undefined) within = zoneOf(values.offset);
  if (values.offsetMinutes !== undefined) within = () => Number(values.offsetMinutes) * 60_000;
  const fields = {
    year: number('year', 1970),
    month,
    day: number('day', 1),
    hour: number('hour', 0),
    minute: number('minute', 0),
    second: number('second', 0),
    ms: number('ms', 0),
  };
  const date = dateFrom(fields, within);
  if (date === undefined || values.dayOfYear === undefined) return date;
  return new Date(date.getTime() + (Number(values.dayOfYear) - 1) * 86_400_000);
}
