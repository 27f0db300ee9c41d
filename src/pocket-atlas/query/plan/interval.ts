import { ObjectId } from 'bson';
import { compare } from '../../bson/compare.js';
import { type BsonTypeName, TYPE_ORDER, typeName } from '../../bson/type.js';
import type { BsonValue } from '../../bson/values.js';

export interface Bound {
  readonly value: BsonValue;
  readonly inclusive: boolean;
}

/** Index key values of one path, in BSON order. An absent bound is open. */
export interface Interval {
  readonly lower?: Bound;
  readonly upper?: Bound;
}

export function point(value: BsonValue): Interval {
  const bound = { value, inclusive: true };
  return { lower: bound, upper: bound };
}

export function isPoint({ lower, upper }: Interval): boolean {
  return lower !== undefined && lower === upper;
}

/** Where a type's values begin and end, so that an open range stays within its type. A type that is absent is unbounded. */
const TYPE_BOUNDS: Partial<Record<BsonTypeName, Required<Interval>>> = {
  double: closed(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY),
  string: halfOpen('', {}),
  object: halfOpen({}, []),
  objectId: halfOpen(new ObjectId('000000000000000000000000'), false),
  bool: closed(false, true),
  date: closed(new Date(-8.64e15), new Date(8.64e15)),
};

function closed(low: BsonValue, high: BsonValue): Required<Interval> {
  return { lower: { value: low, inclusive: true }, upper: { value: high, inclusive: true } };
}

function halfOpen(low: BsonValue, high: BsonValue): Required<Interval> {
  return { lower: { value: low, inclusive: true }, upper: { value: high, inclusive: false } };
}

/** All values of `value`'s type, as order comparisons see them. */
export function typeInterval(value: BsonValue): Interval {
  const order = TYPE_ORDER[typeName(value)];
  const type = (Object.keys(TYPE_BOUNDS) as BsonTypeName[]).find((name) => TYPE_ORDER[name] === order);
  return type === undefined ? {} : TYPE_BOUNDS[type]!;
}

export function intersect(a: Interval, b: Interval): Interval {
  return { lower: tighter(a.lower, b.lower, 1), upper: tighter(a.upper, b.upper, -1) } as Interval;
}

function tighter(a: Bound | undefined, b: Bound | undefined, sign: 1 | -1): Bound | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const order = compare(a.value, b.value) * sign;
  if (order !== 0) return order > 0 ? a : b;
  return a.inclusive ? b : a;
}

/** Least first; repeated points once. */
export function inOrder(intervals: readonly Interval[]): Interval[] {
  const sorted = [...intervals].sort((a, b) => {
    if (a.lower === undefined || b.lower === undefined) return a.lower === b.lower ? 0 : a.lower === undefined ? -1 : 1;
    return compare(a.lower.value, b.lower.value);
  });
  return sorted.filter((interval, index) => {
    const before = sorted[index - 1];
    if (before === undefined || !isPoint(before) || !isPoint(interval)) return true;
    return compare(before.lower!.value, interval.lower!.value) !== 0;
  });
}
