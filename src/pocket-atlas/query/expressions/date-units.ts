import { failedToParse } from '../errors.js';
import { DAY_MS, startOfDay } from './calendar.js';
import { instantOf, utcFromParts, wallClock, type Zone } from './time-zone.js';

export type DateUnit = 'year' | 'quarter' | 'month' | 'week' | 'day' | 'hour' | 'minute' | 'second' | 'millisecond';

const MONTHS_IN: Partial<Record<DateUnit, number>> = { year: 12, quarter: 3, month: 1 };
const FIXED_MS: Partial<Record<DateUnit, number>> = {
  week: 7 * DAY_MS,
  day: DAY_MS,
  hour: 3_600_000,
  minute: 60_000,
  second: 1000,
  millisecond: 1,
};

const UNITS: ReadonlySet<string> = new Set([...Object.keys(MONTHS_IN), ...Object.keys(FIXED_MS)]);

export function dateUnit(value: unknown, operator: string): DateUnit {
  if (typeof value === 'string' && UNITS.has(value)) return value as DateUnit;
  throw failedToParse(`${operator} parameter 'unit' value cannot be recognized as a time unit: ${String(value)}`);
}

/** Units of a day and more go by the calendar of the zone, shorter ones by the clock. */
function isCalendarUnit(unit: DateUnit): boolean {
  return MONTHS_IN[unit] !== undefined || unit === 'week' || unit === 'day';
}

/** A day that the month does not have becomes its last: 31 January plus a month is the end of February. */
export function addUnits(date: Date, unit: DateUnit, amount: number, zone: Zone): Date {
  if (!isCalendarUnit(unit)) return new Date(date.getTime() + amount * FIXED_MS[unit]!);
  const wall = wallClock(date.getTime(), zone);
  const months = MONTHS_IN[unit];
  if (months === undefined) return new Date(instantOf(wall.getTime() + amount * FIXED_MS[unit]!, zone));
  const target = wall.getUTCFullYear() * 12 + wall.getUTCMonth() + amount * months;
  const [year, month] = [Math.floor(target / 12), ((target % 12) + 12) % 12];
  const lastDay = new Date(utcFromParts(year, month + 2, 0, 0, 0, 0)).getUTCDate();
  const day = Math.min(wall.getUTCDate(), lastDay);
  const shifted = utcFromParts(year, month + 1, day, 0, 0, 0) + (wall.getTime() - startOfDay(wall));
  return new Date(instantOf(shifted, zone));
}

const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/** 0 for Sunday to 6; names and their first three letters. */
export function weekday(value: unknown, operator: string): number {
  const name = typeof value === 'string' ? value.toLowerCase() : '';
  const at = DAYS.findIndex((day) => day === name || day.slice(0, 3) === name);
  if (at < 0)
    throw failedToParse(
      `${operator} parameter 'startOfWeek' value cannot be recognized as a day of a week: ${String(value)}`,
    );
  return at;
}

/** How many boundaries of the unit lie between two dates; negative when `end` comes first. */
export function unitsBetween(start: Date, end: Date, unit: DateUnit, zone: Zone, startOfWeek: number): number {
  if (!isCalendarUnit(unit)) {
    const size = FIXED_MS[unit]!;
    // boundaries of hours and shorter are those of the zone's clock
    const offset = (date: Date) => date.getTime() + (unit === 'hour' ? zone(date.getTime()) : 0);
    return Math.floor(offset(end) / size) - Math.floor(offset(start) / size);
  }
  const [from, to] = [wallClock(start.getTime(), zone), wallClock(end.getTime(), zone)];
  const months = MONTHS_IN[unit];
  if (months !== undefined) return monthBin(to, months) - monthBin(from, months);
  const dayOf = (date: Date) => Math.floor(date.getTime() / DAY_MS);
  if (unit === 'day') return dayOf(to) - dayOf(from);
  return weekBin(dayOf(to), startOfWeek) - weekBin(dayOf(from), startOfWeek);
}

function monthBin(date: Date, months: number): number {
  return Math.floor((date.getUTCFullYear() * 12 + date.getUTCMonth()) / months);
}

function weekBin(day: number, startOfWeek: number): number {
  // 1970 began on a Thursday
  return Math.floor((day + 4 - startOfWeek) / 7);
}

/** Bins are counted from 1 January 2000 of the zone (weeks: from the first `startOfWeek` on or after it). */
export function truncateDate(date: Date, unit: DateUnit, binSize: number, zone: Zone, startOfWeek: number): Date {
  const reference = utcFromParts(2000, 1, 1, 0, 0, 0);
  const wall = wallClock(date.getTime(), zone);
  const months = MONTHS_IN[unit];
  if (months !== undefined) {
    const size = months * binSize;
    const since = wall.getUTCFullYear() * 12 + wall.getUTCMonth() - 2000 * 12;
    const start = Math.floor(since / size) * size;
    return new Date(instantOf(utcFromParts(2000, 1 + start, 1, 0, 0, 0), zone));
  }
  const size = FIXED_MS[unit]! * binSize;
  if (!isCalendarUnit(unit)) {
    const origin = instantOf(reference, zone);
    return new Date(origin + Math.floor((date.getTime() - origin) / size) * size);
  }
  // 1 January 2000 was a Saturday
  const origin = unit === 'week' ? reference + ((startOfWeek - 6 + 7) % 7) * DAY_MS : reference;
  return new Date(instantOf(origin + Math.floor((wall.getTime() - origin) / size) * size, zone));
}
