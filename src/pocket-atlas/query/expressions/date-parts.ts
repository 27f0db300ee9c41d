import { Long, ObjectId, Timestamp } from 'bson';
import type { BsonValue } from '../../bson/values.js';
import { failedToParse, location } from '../errors.js';
import { count, isNumeric } from '../numeric.js';
import { isDocument } from '../path.js';
import { compileArguments, namedArguments } from './arguments.js';
import { dayOfYear, isoDayOfWeek, isoWeek, isoWeekYear, weekOfYear } from './calendar.js';
import { type Evaluate, isNullish, type Operator, type OperatorTable, operands, typeOf } from './operator.js';
import { instantOf, UTC, utcFromParts, wallClock, type Zone, zoneOf } from './time-zone.js';

type Part = (wall: Date) => BsonValue;

const PARTS: Readonly<Record<string, Part>> = {
  $year: (wall) => wall.getUTCFullYear(),
  $month: (wall) => wall.getUTCMonth() + 1,
  $dayOfMonth: (wall) => wall.getUTCDate(),
  $dayOfWeek: (wall) => wall.getUTCDay() + 1,
  $dayOfYear: dayOfYear,
  $week: weekOfYear,
  $isoWeek: isoWeek,
  $isoWeekYear: (wall) => Long.fromNumber(isoWeekYear(wall)),
  $isoDayOfWeek: isoDayOfWeek,
  $hour: (wall) => wall.getUTCHours(),
  $minute: (wall) => wall.getUTCMinutes(),
  $second: (wall) => wall.getUTCSeconds(),
  $millisecond: (wall) => wall.getUTCMilliseconds(),
};

export const DATE_PARTS: OperatorTable = {
  ...Object.fromEntries(Object.entries(PARTS).map(([name, part]) => [name, partOf(part)])),
  $dateToParts: dateToParts,
  $dateFromParts: dateFromParts,
  $tsSecond: timestampPart('$tsSecond', (timestamp) => timestamp.t),
  $tsIncrement: timestampPart('$tsIncrement', (timestamp) => timestamp.i),
};

/** Dates, timestamps and object ids are dates. @throws CommandError 16006 for anything else. */
export function asDate(value: BsonValue): Date {
  if (value instanceof Date) return value;
  if (value instanceof Timestamp) return new Date(value.t * 1000);
  if (value instanceof ObjectId) return value.getTimestamp();
  throw location(16006, `can't convert from BSON type ${typeOf(value)} to Date`);
}

/** The zone of a `timezone` argument; undefined when it evaluates to null, which makes the result null. */
export function evaluateZone(timezone: Evaluate | undefined, current: BsonValue): Zone | undefined {
  if (timezone === undefined) return UTC;
  const name = timezone(current);
  if (isNullish(name)) return undefined;
  if (typeof name !== 'string') throw location(40517, `timezone must evaluate to a string, found ${typeOf(name)}`);
  return zoneOf(name);
}

function partOf(part: Part): Operator {
  return (argument, context, name) => {
    const isNamed = isDocument(argument) && !Object.keys(argument)[0]?.startsWith('$');
    const given = isNamed
      ? compileArguments(
          namedArguments(name, argument, ['date'], ['timezone'], {
            unknown: (key) => location(40535, `unrecognized option to ${name}: "${key}"`),
            missing: () => location(40539, `missing 'date' argument to ${name}`),
          }),
          context,
        )
      : { date: operands(name, argument, context, 1)[0] };
    return (current) => {
      const value = given.date!(current);
      if (isNullish(value)) return null;
      const zone = evaluateZone(given.timezone, current);
      return zone === undefined ? null : part(wallClock(asDate(value).getTime(), zone));
    };
  };
}

function timestampPart(name: string, part: (timestamp: Timestamp) => number): Operator {
  return (argument, context) => {
    const [operand] = operands(name, argument, context, 1);
    return (current) => {
      const value = operand!(current);
      if (isNullish(value)) return null;
      if (!(value instanceof Timestamp))
        throw location(5687301, `Argument to ${name} must be a timestamp, but is ${typeOf(value)}`);
      return Long.fromNumber(part(value));
    };
  };
}

function dateToParts(...[argument, context, name]: Parameters<Operator>): ReturnType<Operator> {
  const given = compileArguments(
    namedArguments(name, argument, ['date'], ['timezone', 'iso8601'], {
      notObject: () => location(40524, '$dateToParts only supports an object as its argument'),
      unknown: (key) => location(40520, `Unrecognized argument to $dateToParts: ${key}`),
      missing: () => location(40522, "Missing 'date' parameter to $dateToParts"),
    }),
    context,
  );
  return (current) => {
    const value = given.date!(current);
    const zone = evaluateZone(given.timezone, current);
    const iso = given.iso8601?.(current) ?? false;
    if (typeof iso !== 'boolean') throw location(40521, 'iso8601 must evaluate to a bool');
    if (isNullish(value) || zone === undefined) return null;
    const wall = wallClock(asDate(value).getTime(), zone);
    const time = {
      hour: wall.getUTCHours(),
      minute: wall.getUTCMinutes(),
      second: wall.getUTCSeconds(),
      millisecond: wall.getUTCMilliseconds(),
    };
    return iso
      ? { isoWeekYear: isoWeekYear(wall), isoWeek: isoWeek(wall), isoDayOfWeek: isoDayOfWeek(wall), ...time }
      : { year: wall.getUTCFullYear(), month: wall.getUTCMonth() + 1, day: wall.getUTCDate(), ...time };
  };
}

const TIME_PARTS = ['hour', 'minute', 'second', 'millisecond'];

/** Fields beyond their usual range carry over: month 14 is February of the next year. */
function dateFromParts(...[argument, context, name]: Parameters<Operator>): ReturnType<Operator> {
  if (!isDocument(argument)) throw location(40519, '$dateFromParts only supports an object as its argument');
  const isIso = Object.hasOwn(argument, 'isoWeekYear');
  const dayParts = isIso ? ['isoWeek', 'isoDayOfWeek'] : ['month', 'day'];
  const first = isIso ? 'isoWeekYear' : 'year';
  const given = compileArguments(
    namedArguments(name, argument, [first], [...dayParts, ...TIME_PARTS, 'timezone'], {
      unknown: (key) => location(40518, `Unrecognized argument to $dateFromParts: ${key}`),
      missing: () => location(40516, "$dateFromParts requires either 'year' or 'isoWeekYear' to be present"),
    }),
    context,
  );
  return (current) => {
    const zone = evaluateZone(given.timezone, current);
    if (zone === undefined) return null;
    const numbers: Record<string, number> = {};
    for (const key of [first, ...dayParts, ...TIME_PARTS]) {
      const value = given[key]?.(current);
      if (given[key] !== undefined && isNullish(value)) return null;
      const fallback = TIME_PARTS.includes(key) ? 0 : 1;
      const number = value === undefined ? fallback : isNumeric(value) ? count(value) : undefined;
      if (number === undefined) throw location(40515, `'${key}' must evaluate to an integer, found ${typeOf(value)}`);
      if (Math.abs(number) > 2 ** 31) throw failedToParse(`'${key}' is out of range: ${number}`);
      numbers[key] = number;
    }
    const { hour = 0, minute = 0, second = 0, millisecond = 0 } = numbers;
    const day = isIso
      ? isoDay(numbers.isoWeekYear!, numbers.isoWeek!, numbers.isoDayOfWeek!)
      : utcFromParts(numbers.year!, numbers.month!, numbers.day!, 0, 0, 0);
    const wall = day + hour * 3_600_000 + minute * 60_000 + second * 1000 + millisecond;
    const date = new Date(instantOf(wall, zone));
    if (Number.isNaN(date.getTime())) throw location(15, '$dateFromParts: date out of range');
    return date;
  };
}

function isoDay(year: number, week: number, day: number): number {
  // 4 January is always in week 1
  const fourth = new Date(utcFromParts(year, 1, 4, 0, 0, 0));
  return fourth.getTime() + ((week - 1) * 7 + day - isoDayOfWeek(fourth)) * 86_400_000;
}
