import { compare } from '../../bson/compare.js';
import type { BsonValue } from '../../bson/values.js';
import { location } from '../errors.js';
import { ValueSet } from '../value-set.js';
import { binary, isNullish, isTrue, type OperatorTable, typeOf, unary, variadic } from './operator.js';

/** Arrays as sets: order and repetition do not count. Unions and intersections come in BSON order. */
export const SETS: OperatorTable = {
  $setUnion: variadic(union),
  $setIntersection: variadic(intersection),
  $setDifference: binary(difference),
  $setEquals: variadic(equal, 2),
  $setIsSubset: binary(isSubset),
  $anyElementTrue: unary((value, name) => elements(value, name, 17041).some(isTrue)),
  $allElementsTrue: unary((value, name) => elements(value, name, 17040).every(isTrue)),
};

function elements(value: BsonValue, name: string, code: number): BsonValue[] {
  if (!Array.isArray(value)) throw location(code, `${name}'s argument must be an array, but is ${typeOf(value)}`);
  return value;
}

function union(arrays: BsonValue[]): BsonValue {
  const all = new ValueSet();
  for (const array of arrays) {
    if (isNullish(array)) return null;
    if (!Array.isArray(array))
      throw location(17043, `All operands of $setUnion must be arrays. One argument is of type: ${typeOf(array)}`);
    for (const value of array) all.add(value);
  }
  return all.values().sort(compare);
}

function intersection(arrays: BsonValue[]): BsonValue {
  let common: BsonValue[] | undefined;
  for (const array of arrays) {
    if (isNullish(array)) return null;
    if (!Array.isArray(array)) {
      throw location(
        17047,
        `All operands of $setIntersection must be arrays. One argument is of type: ${typeOf(array)}`,
      );
    }
    const set = new ValueSet(array);
    common = common === undefined ? set.values() : common.filter((value) => set.has(value));
  }
  return (common ?? []).sort(compare);
}

function difference(from: BsonValue, without: BsonValue): BsonValue {
  if (isNullish(from) || isNullish(without)) return null;
  if (!Array.isArray(from)) {
    throw location(17048, `both operands of $setDifference must be arrays. First argument is of type: ${typeOf(from)}`);
  }
  if (!Array.isArray(without)) {
    throw location(
      17049,
      `both operands of $setDifference must be arrays. Second argument is of type: ${typeOf(without)}`,
    );
  }
  // what has been given once is not given again
  const seen = new ValueSet(without);
  return from.filter((value) => seen.add(value));
}

function equal(arrays: BsonValue[]): BsonValue {
  const sets = arrays.map((array) => {
    if (!Array.isArray(array))
      throw location(17044, `All operands of $setEquals must be arrays. One argument is of type: ${typeOf(array)}`);
    return new ValueSet(array);
  });
  const [first, ...rest] = sets;
  return rest.every((set) => set.size === first!.size && set.values().every((value) => first!.has(value)));
}

function isSubset(part: BsonValue, whole: BsonValue): BsonValue {
  if (!Array.isArray(part)) {
    throw location(17046, `both operands of $setIsSubset must be arrays. First argument is of type: ${typeOf(part)}`);
  }
  if (!Array.isArray(whole)) {
    throw location(17042, `both operands of $setIsSubset must be arrays. Second argument is of type: ${typeOf(whole)}`);
  }
  const all = new ValueSet(whole);
  return part.every((value) => all.has(value));
}
