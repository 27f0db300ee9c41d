import { compare } from '../../bson/compare.js';
import type { BsonValue, Doc } from '../../bson/values.js';
import { failedToParse, location } from '../errors.js';
import { addUnits, dateUnit } from '../expressions/date-units.js';
import { typeOf } from '../expressions/operator.js';
import { UTC } from '../expressions/time-zone.js';
import { count, isNumeric, toDouble } from '../numeric.js';
import { isDocument } from '../path.js';

/** Which documents of a partition a window holds, for the document at `index`: [from, to). Both never move back. */
export interface WindowBounds {
  readonly startsAtFirst: boolean;
  readonly isWhole: boolean;
  over(sortValues: readonly BsonValue[]): (index: number) => readonly [from: number, to: number];
}

type End = 'unbounded' | 'current' | number;

const WHOLE: WindowBounds = { startsAtFirst: true, isWhole: true, over: (values) => () => [0, values.length] };

/** `window` of an output field: by documents, by range of the sort value, or everything when there is none. */
export function windowBounds(window: BsonValue, sortBy: Doc | undefined): WindowBounds {
  if (window === undefined) return WHOLE;
  if (!isDocument(window)) throw failedToParse("'window' field must be an object");
  const { documents, range, unit } = window;
  for (const name of Object.keys(window)) {
    if (name !== 'documents' && name !== 'range' && name !== 'unit') {
      throw failedToParse(
        `'window' field can only contain 'documents' as the only argument or 'range' with an optional 'unit' field; found ${name}`,
      );
    }
  }
  if (documents !== undefined && (range !== undefined || unit !== undefined)) {
    throw failedToParse(
      "'window' field can only contain 'documents' as the only argument or 'range' with an optional 'unit' field",
    );
  }
  if (documents === undefined && range === undefined) return WHOLE;
  const [lower, upper] = ends(documents ?? range, documents !== undefined);
  const startsAtFirst = lower === 'unbounded';
  const isWhole = startsAtFirst && upper === 'unbounded';
  if (documents !== undefined) {
    if (sortBy === undefined && !isWhole) throw location(5339901, 'Document-based bounds require a sortBy');
    return { startsAtFirst, isWhole, over: (values) => byDocuments(lower, upper, values.length) };
  }
  const sorts = Object.values(sortBy ?? {});
  if (sorts.length !== 1 || !isNumeric(sorts[0]) || toDouble(sorts[0]) !== 1) {
    throw location(5339902, 'Range-based bounds require sortBy a single field, ascending');
  }
  return { startsAtFirst, isWhole, over: (values) => byRange(lower, upper, unit, values) };
}

function ends(given: BsonValue, isDocuments: boolean): [End, End] {
  if (!Array.isArray(given) || given.length !== 2) throw failedToParse('Window bounds must be a 2-element array');
  const [lower, upper] = given.map((end): End => {
    if (end === 'unbounded' || end === 'current') return end;
    const number = isDocuments ? count(end) : isNumeric(end) ? toDouble(end) : undefined;
    if (number === undefined) {
      throw failedToParse(
        `${isDocuments ? 'Numeric document-based bounds must be an integer' : 'Range-based bounds expression must be a number'}; found ${typeOf(end)}`,
      );
    }
    return number;
  }) as [End, End];
  if (offsetOf(lower, -1) > offsetOf(upper, 1)) throw location(5339900, 'Lower bound must not exceed upper bound');
  return [lower, upper];
}

function offsetOf(end: End, sign: 1 | -1): number {
  if (end === 'unbounded') return sign * Number.POSITIVE_INFINITY;
  return end === 'current' ? 0 : end;
}

function byDocuments(lower: End, upper: End, length: number): (index: number) => readonly [number, number] {
  const [below, above] = [offsetOf(lower, -1), offsetOf(upper, 1)];
  return (index) => {
    const from = Math.min(length, Math.max(0, index + below));
    return [from, Math.max(from, Math.min(length, index + above + 1))];
  };
}

function byRange(
  lower: End,
  upper: End,
  unit: BsonValue,
  values: readonly BsonValue[],
): (index: number) => readonly [number, number] {
  const shift = shifter(unit);
  // values are sorted, so both ends only move on
  let [from, to] = [0, 0];
  return (index) => {
    const value = values[index];
    const low = lower === 'unbounded' ? undefined : shift(value, offsetOf(lower, -1));
    const high = upper === 'unbounded' ? undefined : shift(value, offsetOf(upper, 1));
    if (low !== undefined) while (from < values.length && compare(values[from], low) < 0) from++;
    to = Math.max(to, from);
    if (upper === 'unbounded') to = values.length;
    else while (to < values.length && compare(values[to], high) <= 0) to++;
    return [from, to];
  };
}

function shifter(unit: BsonValue): (value: BsonValue, offset: number) => BsonValue {
  if (unit === undefined) {
    return (value, offset) => {
      if (!isNumeric(value)) {
        throw location(5429413, `Invalid range: Expected the sortBy field to be a number, but it was ${typeOf(value)}`);
      }
      return toDouble(value) + offset;
    };
  }
  const step = dateUnit(unit, 'window');
  return (value, offset) => {
    if (!(value instanceof Date)) {
      throw location(5429513, `Invalid range: Expected the sortBy field to be a Date, but it was ${typeOf(value)}`);
    }
    return addUnits(value, step, offset, UTC);
  };
}
