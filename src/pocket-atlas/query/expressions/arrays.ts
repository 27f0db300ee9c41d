import { compare, equals } from '../../bson/compare.js';
import type { BsonValue, Doc } from '../../bson/values.js';
import { location } from '../errors.js';
import { count, isNumeric } from '../numeric.js';
import { isDocument } from '../path.js';
import { compileSort } from '../sort.js';
import { ValueSet } from '../value-set.js';
import { namedArguments } from './arguments.js';
import { binary, isNullish, type Operator, type OperatorTable, typeOf, unary, variadic } from './operator.js';

export const ARRAYS: OperatorTable = {
  $isArray: unary((value) => Array.isArray(value)),
  $size: unary(size),
  $arrayElemAt: binary(elementAt),
  $first: unary((value, name) => end(value, name, 0)),
  $last: unary((value, name) => end(value, name, -1)),
  $slice: variadic(slice, 2, 3),
  $in: binary(isIn),
  $concatArrays: variadic(concatArrays),
  $reverseArray: unary(reverse),
  $range: variadic(range, 2, 3),
  $indexOfArray: variadic(indexOfArray, 2, 4),
  $zip: zip,
  $sortArray: sortArray,
};

function size(value: BsonValue): BsonValue {
  if (!Array.isArray(value)) {
    throw location(17124, `The argument to $size must be an array, but was of type: ${typeOf(value)}`);
  }
  return value.length;
}

function elementAt(array: BsonValue, index: BsonValue): BsonValue {
  if (isNullish(array) || isNullish(index)) return null;
  if (!Array.isArray(array))
    throw location(28689, `$arrayElemAt's first argument must be an array, but is ${typeOf(array)}`);
  if (!isNumeric(index))
    throw location(28690, `$arrayElemAt's second argument must be a numeric value, but is ${typeOf(index)}`);
  const at = count(index);
  if (at === undefined) {
    throw location(28691, `$arrayElemAt's second argument must be representable as a 32-bit integer: ${String(index)}`);
  }
  return array[at < 0 ? array.length + at : at];
}

function end(value: BsonValue, name: string, at: 0 | -1): BsonValue {
  if (isNullish(value)) return null;
  if (!Array.isArray(value)) throw location(28689, `${name}'s argument must be an array, but is ${typeOf(value)}`);
  return value.at(at);
}

function slice([array, first, second]: BsonValue[]): BsonValue {
  if (isNullish(array) || isNullish(first)) return null;
  if (!Array.isArray(array))
    throw location(28724, `First argument to $slice must be an array, but is of type: ${typeOf(array)}`);
  const from = whole(first, 'Second', 28725);
  if (second === undefined) return from >= 0 ? array.slice(0, from) : array.slice(from);
  if (second === null) return null;
  const length = whole(second, 'Third', 28727);
  if (length <= 0) throw location(28729, `Third argument to $slice must be positive: ${length}`);
  const start = from >= 0 ? from : Math.max(0, array.length + from);
  return array.slice(start, start + length);
}

function whole(value: BsonValue, which: string, code: number): number {
  if (!isNumeric(value))
    throw location(code, `${which} argument to $slice must be numeric, but is of type: ${typeOf(value)}`);
  const number = count(value);
  if (number === undefined)
    throw location(code + 1, `${which} argument to $slice can't be represented as a 32-bit integer: ${String(value)}`);
  return number;
}

/** Below this a walk is faster than a set. */
const SET_FROM = 16;
/** Arrays that were searched before (constants of the query) and are worth a set; null: searched once so far. */
const sets = new WeakMap<readonly BsonValue[], ValueSet | null>();

function isIn(value: BsonValue, array: BsonValue): BsonValue {
  if (!Array.isArray(array))
    throw location(40081, `$in requires an array as a second argument, found: ${typeOf(array)}`);
  if (array.length >= SET_FROM) {
    const known = sets.get(array);
    if (known === undefined) sets.set(array, null);
    else {
      const set = known ?? new ValueSet(array);
      sets.set(array, set);
      return set.has(value);
    }
  }
  return array.some((item) => equals(item, value));
}

function concatArrays(arrays: BsonValue[]): BsonValue {
  let joined: BsonValue[] | null = [];
  for (const array of arrays) {
    if (isNullish(array)) joined = null;
    else if (!Array.isArray(array)) throw location(28664, `$concatArrays only supports arrays, not ${typeOf(array)}`);
    else joined?.push(...array);
  }
  return joined;
}

function reverse(value: BsonValue): BsonValue {
  if (isNullish(value)) return null;
  if (!Array.isArray(value)) {
    throw location(34435, `The argument to $reverseArray must be an array, but was of type: ${typeOf(value)}`);
  }
  return value.toReversed();
}

/** Elements that `$range` makes at most: the server stops at 100 MB. */
const RANGE_MAX = 1_000_000;

function range([start, stop, step = 1]: BsonValue[]): BsonValue {
  const names = ['starting', 'ending', 'step'];
  const [from, to, by] = [start, stop, step].map((value, index) => {
    if (!isNumeric(value)) {
      throw location(
        34443 + index * 2,
        `$range requires a numeric ${names[index]} value, found value of type: ${typeOf(value)}`,
      );
    }
    const number = count(value);
    if (number === undefined) {
      throw location(
        34444 + index * 2,
        `$range requires a ${names[index]} value that can be represented as a 32-bit integer, found value: ${String(value)}`,
      );
    }
    return number;
  }) as [number, number, number];
  if (by === 0) throw location(34449, '$range requires a non-zero step value');
  const length = Math.max(0, Math.ceil((to - from) / by));
  if (length > RANGE_MAX) throw location(146, `$range would make ${length} elements, more than ${RANGE_MAX}`);
  return Array.from({ length }, (_, index) => from + index * by);
}

function indexOfArray([array, value, start = 0, stop]: BsonValue[]): BsonValue {
  if (isNullish(array)) return null;
  if (!Array.isArray(array))
    throw location(40090, `$indexOfArray requires an array as a first argument, found: ${typeOf(array)}`);
  const position = (given: BsonValue, which: string): number => {
    const at = isNumeric(given) ? count(given) : undefined;
    if (at === undefined)
      throw location(
        40096,
        `$indexOfArray requires an integral ${which} index, found a value of type: ${typeOf(given)}`,
      );
    if (at < 0) throw location(40097, `$indexOfArray requires a nonnegative ${which} index, found: ${at}`);
    return at;
  };
  const from = position(start, 'starting');
  const to = stop === undefined ? array.length : Math.min(array.length, position(stop, 'ending'));
  for (let at = from; at < to; at++) if (equals(array[at], value)) return at;
  return -1;
}

function zip(...[argument, context, name]: Parameters<Operator>): ReturnType<Operator> {
  const given = namedArguments(name, argument, ['inputs'], ['defaults', 'useLongestLength'], {
    notObject: () => location(34460, `$zip only supports an object as an argument, found ${typeOf(argument)}`),
    unknown: (key) => location(34464, `$zip found an unknown argument: ${key}`),
    missing: () => location(34465, '$zip requires at least one input array'),
  });
  const { inputs, defaults = [], useLongestLength = false } = given;
  if (!Array.isArray(inputs)) throw location(34461, `inputs must be an array of expressions, found ${typeOf(inputs)}`);
  if (inputs.length === 0) throw location(34465, '$zip requires at least one input array');
  if (!Array.isArray(defaults))
    throw location(34462, `defaults must be an array of expressions, found ${typeOf(defaults)}`);
  if (typeof useLongestLength !== 'boolean')
    throw location(34463, `useLongestLength must be a bool, found ${typeOf(useLongestLength)}`);
  if (defaults.length > 0 && !useLongestLength)
    throw location(34466, 'cannot specify defaults unless useLongestLength is true');
  if (defaults.length > 0 && defaults.length !== inputs.length)
    throw location(34467, 'defaults and inputs must have the same length');
  const arrays = inputs.map((input) => context.compile(input));
  const fallbacks = defaults.map((fallback) => context.compile(fallback));
  return (current) => {
    const values = arrays.map((array) => array(current));
    if (values.some(isNullish)) return null;
    const lengths = values.map((value) => {
      if (!Array.isArray(value)) throw location(34468, `$zip found a non-array expression in input: ${typeOf(value)}`);
      return value.length;
    });
    const padding = fallbacks.map((fallback) => fallback(current));
    const length = useLongestLength ? Math.max(...lengths) : Math.min(...lengths);
    return Array.from({ length }, (_, row) =>
      values.map((value, column) => {
        const array = value as BsonValue[];
        return (row < array.length ? array[row] : padding[column]) ?? null;
      }),
    );
  };
}

function sortArray(...[argument, context, name]: Parameters<Operator>): ReturnType<Operator> {
  const given = namedArguments(name, argument, ['input', 'sortBy'], [], {
    notObject: () => location(2942500, `$sortArray requires an object as an argument, found: ${typeOf(argument)}`),
    unknown: (key) => location(2942501, `$sortArray found an unknown argument: ${key}`),
    missing: (key) => location(key === 'input' ? 2942502 : 2942503, `$sortArray requires '${key}' to be specified`),
  });
  const input = context.compile(given.input);
  const order = elementOrder(given.sortBy);
  return (current) => {
    const value = input(current);
    if (isNullish(value)) return null;
    if (!Array.isArray(value)) {
      throw location(2942504, `The input argument to $sortArray must be an array, but was of type: ${typeOf(value)}`);
    }
    return value.toSorted(order);
  };
}

function elementOrder(sortBy: BsonValue): (a: BsonValue, b: BsonValue) => number {
  if (isDocument(sortBy)) {
    if (Object.keys(sortBy).length === 0)
      throw location(2942505, 'invalid $sortArray: sortBy must have at least one field');
    const byFields = compileSort(sortBy);
    const asDocument = (value: BsonValue): Doc => (isDocument(value) ? value : {});
    return (a, b) => byFields(asDocument(a), asDocument(b));
  }
  const direction = isNumeric(sortBy) ? count(sortBy) : undefined;
  if (direction !== 1 && direction !== -1) {
    throw location(2942506, 'The $sort element value must be either 1 or -1');
  }
  return (a, b) => compare(a, b) * direction;
}
