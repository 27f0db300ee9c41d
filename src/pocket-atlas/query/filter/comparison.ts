import { MaxKey, MinKey } from 'bson';
import { compare, compareStrings, equals } from '../../bson/compare.js';
import { TYPE_ORDER, typeName } from '../../bson/type.js';
import type { BsonValue, Doc } from '../../bson/values.js';
import { badValue } from '../errors.js';
import { isDocument, type ValueTest } from '../path.js';
import { isRegex, regexOf, regexTest } from '../regex.js';
import { ValueSet } from '../value-set.js';

export type RangeOperator = '$gt' | '$gte' | '$lt' | '$lte';

/** Null also stands for missing. */
export function equalTo(expected: BsonValue): ValueTest {
  switch (typeof expected) {
    case 'string':
    case 'number':
      // NaN equals NaN here, and -0 equals 0
      if (Number.isNaN(expected)) return (value) => value !== undefined && equals(value, expected);
      return (value) => value === expected || (typeof value === 'object' && value !== null && equals(value, expected));
    case 'boolean':
      return (value) => value === expected;
    default:
      if (expected === null || expected === undefined) return (value) => value === null || value === undefined;
      return (value) => typeof value !== 'undefined' && equals(value, expected);
  }
}

const IN_RANGE: Readonly<Record<RangeOperator, (difference: number) => boolean>> = {
  $gt: (difference) => difference > 0,
  $gte: (difference) => difference >= 0,
  $lt: (difference) => difference < 0,
  $lte: (difference) => difference <= 0,
};

/** Order comparisons see values of the bound's own type only, save for MinKey and MaxKey, which bound everything. */
export function inRange(operator: RangeOperator, bound: BsonValue, path: string): ValueTest {
  if (isRegex(bound)) throw badValue(`Can't have RegEx as arg to predicate over field '${path}'.`);
  const inRange = IN_RANGE[operator];
  if (bound === null || bound === undefined) {
    const orEqual = inRange(0);
    return (value) => orEqual && (value === null || value === undefined);
  }
  if (bound instanceof MinKey || bound instanceof MaxKey) {
    return (value) => value !== undefined && inRange(compare(value, bound));
  }
  if (Number.isNaN(Number(bound)) && TYPE_ORDER[typeName(bound)] === TYPE_ORDER.double) {
    const orEqual = inRange(0);
    return (value) => orEqual && value !== undefined && equals(value, bound);
  }
  if (typeof bound === 'string') {
    const general = sameTypeInRange(bound, inRange);
    return (value) => (typeof value === 'string' ? inRange(compareStrings(value, bound)) : general(value));
  }
  if (typeof bound === 'number') {
    const general = sameTypeInRange(bound, inRange);
    // NaN - bound is NaN, which is in no range
    return (value) => (typeof value === 'number' ? inRange(value - bound) : general(value));
  }
  return sameTypeInRange(bound, inRange);
}

function sameTypeInRange(bound: BsonValue, inRange: (difference: number) => boolean): ValueTest {
  const order = TYPE_ORDER[typeName(bound)];
  const isNumber = order === TYPE_ORDER.double;
  return (value) => {
    if (value === undefined || TYPE_ORDER[typeName(value)] !== order) return false;
    // compare puts NaN below all numbers; a query's range does not hold it
    if (isNumber && String(value) === 'NaN') return false;
    return inRange(compare(value, bound));
  };
}

/** `$in`: any of the values, or a match of any of the regular expressions. */
export function oneOf(operator: '$in' | '$nin', list: BsonValue): ValueTest {
  if (!Array.isArray(list)) throw badValue(`${operator} needs an array`);
  const patterns: ((value: BsonValue) => boolean)[] = [];
  const values = new ValueSet();
  let matchesMissing = false;
  for (const item of list) {
    if (isDocument(item) && Object.keys(item)[0]?.startsWith('$') && !isReference(item)) {
      throw badValue(`cannot nest $ under ${operator}`);
    }
    if (isRegex(item)) patterns.push(regexTest(regexOf(item)));
    if (item === null || item === undefined) matchesMissing = true;
    else values.add(item);
  }
  return (value) => {
    if (value === undefined || value === null) return matchesMissing;
    return values.has(value) || patterns.some((matches) => matches(value));
  };
}

/** A DBRef: a document whose field names begin with `$` without being operators. */
export function isReference(doc: Doc): boolean {
  const [first] = Object.keys(doc);
  return first === '$ref' || first === '$id' || first === '$db';
}
