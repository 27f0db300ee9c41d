import { instantOf, UTC, utcFromParts, type Zone, zoneOf } from './time-zone.js';

const ISO =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?\s*(Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?$/i;

/** A date in ISO 8601, without a zone in `zone`; undefined when it is none. Other spellings are not taken. */
export function parseDate(text: string, zone: Zone = UTC): Date | undefined {
  const found = ISO.exec(text.trim());
  if (found === null) return undefined;
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '0', offset] = found;
  const ms = Math.trunc(Number(`0.${fraction}`) * 1000);
  return dateFrom(
    {
      year: Number(year),
      month: Number(month),
      day: Number(day),
      hour: Number(hour),
      minute: Number(minute),
      second: Number(second),
      ms,
    },
    offset === undefined ? zone : zoneOf(offset.toUpperCase()),
  );
}

export interface DateFields {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly ms: number;
}

/** Undefined where a field is out of its range, such as 30 February. */
export function dateFrom(fields: DateFields, zone: Zone): Date | undefined {
  const { year, month, day, hour, minute, second, ms } = fields;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const wall = utcFromParts(year, month, day, hour, minute, second, ms);
  const check = new Date(wall);
  if (check.getUTCMonth() !== month - 1 || check.getUTCDate() !== day) return undefined;
  return new Date(instantOf(wall, zone));
}
