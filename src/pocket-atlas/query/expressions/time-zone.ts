import { location } from '../errors.js';

/** Milliseconds that a zone is ahead of UTC at an instant. */
export type Zone = (utcMs: number) => number;

export const UTC: Zone = () => 0;

const OFFSET = /^([+-])(\d{2}):?(\d{2})?$/;

/** Zones are few, and each costs a formatter: they are kept. Beyond this many, others are made anew. */
const ZONES_MAX = 100;
const zones = new Map<string, Zone>();

/** A zone by its Olson name (`Europe/Berlin`) or its offset (`+05:30`). @throws CommandError 40485 for an unknown one. */
export function zoneOf(name: string): Zone {
  if (name === 'UTC' || name === 'GMT' || name === 'Z') return UTC;
  const offset = OFFSET.exec(name);
  if (offset !== null) {
    const ms = (Number(offset[2]) * 60 + Number(offset[3] ?? 0)) * 60_000;
    return () => (offset[1] === '-' ? -ms : ms);
  }
  const known = zones.get(name);
  if (known !== undefined) return known;
  const zone = namedZone(name);
  if (zones.size < ZONES_MAX) zones.set(name, zone);
  return zone;
}

function namedZone(name: string): Zone {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
      era: 'short',
    });
  } catch (cause) {
    throw Object.assign(location(40485, `unrecognized time zone identifier: "${name.slice(0, 60)}"`), { cause });
  }
  return (utcMs) => {
    const parts: Record<string, string> = {};
    for (const { type, value } of format.formatToParts(utcMs)) parts[type] = value;
    const year = parts.era === 'BC' ? 1 - Number(parts.year) : Number(parts.year);
    const local = utcFromParts(
      year,
      Number(parts.month),
      Number(parts.day),
      Number(parts.hour),
      Number(parts.minute),
      Number(parts.second),
    );
    return local - Math.floor(utcMs / 1000) * 1000;
  };
}

/** Like Date.UTC, with month from 1 and without its reading of years 0 to 99 as 1900 to 1999. */
export function utcFromParts(
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
  ms = 0,
): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.setUTCHours(hour, minute, second, ms);
}

/** The date whose UTC fields are the zone's wall clock at an instant. */
export function wallClock(utcMs: number, zone: Zone): Date {
  return new Date(utcMs + zone(utcMs));
}

/** The instant at which the zone's clock shows this (of two, the earlier; in a gap, as far behind it). */
export function instantOf(wallMs: number, zone: Zone): number {
  const guess = wallMs - zone(wallMs);
  const better = wallMs - zone(guess);
  return better === guess ? guess : Math.max(wallMs - zone(better), better);
}
