import type { BsonValue } from '../../bson/values.js';
import { location } from '../errors.js';
import { compileArguments, namedArguments } from './arguments.js';
import { checkFormat, dateReader, formatDate } from './date-format.js';
import { asDate, evaluateZone } from './date-parts.js';
import { isNullish, type Operator, type OperatorTable, typeOf } from './operator.js';
import { parseDate } from './parse-date.js';
import { UTC, type Zone } from './time-zone.js';

export const DATE_TEXT: OperatorTable = { $dateToString: dateToString, $dateFromString: dateFromString };

function dateToString(...[argument, context, name]: Parameters<Operator>): ReturnType<Operator> {
  const given = namedArguments(name, argument, ['date'], ['format', 'timezone', 'onNull'], {
    notObject: () => location(18629, '$dateToString only supports an object as its argument'),
    unknown: (key) => location(18534, `Unrecognized argument to $dateToString: ${key}`),
    missing: () => location(18628, "Missing 'date' parameter to $dateToString"),
  });
  const parts = compileArguments(given, context);
  if (typeof given.format === 'string' && !given.format.startsWith('$')) checkFormat(given.format);
  return (current) => {
    const format = parts.format?.(current);
    const zone = evaluateZone(parts.timezone, current);
    const value = parts.date!(current);
    if (isNullish(value)) return parts.onNull === undefined ? null : parts.onNull(current);
    if (zone === undefined || (parts.format !== undefined && isNullish(format))) return null;
    if (format !== undefined && typeof format !== 'string') {
      throw location(18533, `$dateToString requires that 'format' be a string, found: ${typeOf(format)}`);
    }
    const pattern = format ?? (zone === UTC ? '%Y-%m-%dT%H:%M:%S.%LZ' : '%Y-%m-%dT%H:%M:%S.%L');
    checkFormat(pattern);
    return formatDate(asDate(value), pattern, zone);
  };
}

function dateFromString(...[argument, context, name]: Parameters<Operator>): ReturnType<Operator> {
  const given = namedArguments(name, argument, ['dateString'], ['format', 'timezone', 'onError', 'onNull'], {
    notObject: () => location(40540, '$dateFromString only supports an object as an argument'),
    unknown: (key) => location(40541, `Unrecognized argument to $dateFromString: ${key}`),
    missing: () => location(40542, "Missing 'dateString' parameter to $dateFromString"),
  });
  const parts = compileArguments(given, context);
  let reader: { readonly format: string; read(text: string, zone: Zone): Date | undefined } | undefined;
  return (current) => {
    const text = parts.dateString!(current);
    const zone = evaluateZone(parts.timezone, current);
    const format: BsonValue = parts.format?.(current);
    if (isNullish(text)) return parts.onNull === undefined ? null : parts.onNull(current);
    if (zone === undefined || (parts.format !== undefined && isNullish(format))) return null;
    let date: Date | undefined;
    if (typeof text === 'string') {
      if (isNullish(format)) date = parseDate(text, zone);
      else {
        if (typeof format !== 'string')
          throw location(40684, `$dateFromString requires that 'format' be a string, found: ${typeOf(format)}`);
        if (reader?.format !== format) reader = { format, read: dateReader(format) };
        date = reader.read(text, zone);
      }
    }
    if (date !== undefined) return date;
    if (parts.onError !== undefined) return parts.onError(current);
    throw location(
      241,
      typeof text === 'string'
        ? `an error occurred parsing a date string in $dateFromString: it does not have the expected format`
        : `$dateFromString requires that 'dateString' be a string, found: ${typeOf(text)}`,
    );
  };
}
