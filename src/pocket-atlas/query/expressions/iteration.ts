import type { BsonValue } from '../../bson/values.js';
import { location } from '../errors.js';
import { count, isNumeric } from '../numeric.js';
import { namedArguments } from './arguments.js';
import { type Cell, isNullish, isTrue, type Operator, type OperatorTable, spendElements, typeOf } from './operator.js';

/** Operators that evaluate a body once per element of an array. */
export const ITERATION: OperatorTable = { $map: map, $filter: filter, $reduce: reduce };

/** The element's variable: `this` unless another name is given. */
function elementName(as: BsonValue): string {
  if (as === undefined) return 'this';
  if (typeof as !== 'string') throw location(16866, `the variable name 'as' must be a string, found ${typeOf(as)}`);
  return as;
}

function map(...[argument, context, name]: Parameters<Operator>): ReturnType<Operator> {
  const given = namedArguments(name, argument, ['input', 'in'], ['as'], {
    notObject: () => location(16878, '$map only supports an object as its argument'),
    unknown: (key) => location(16879, `Unrecognized parameter to $map: ${key}`),
    missing: (key) => location(key === 'input' ? 16880 : 16882, `Missing '${key}' parameter to $map`),
  });
  const input = context.compile(given.input);
  const element: Cell = { value: undefined };
  const body = context.withVariables({ [elementName(given.as)]: element }).compile(given.in);
  return (current) => {
    const array = input(current);
    if (isNullish(array)) return null;
    if (!Array.isArray(array)) throw location(16883, `input to $map must be an array not ${typeOf(array)}`);
    spendElements(context.root, array.length);
    return array.map((item) => {
      element.value = item;
      return body(current) ?? null;
    });
  };
}

function filter(...[argument, context, name]: Parameters<Operator>): ReturnType<Operator> {
  const given = namedArguments(name, argument, ['input', 'cond'], ['as', 'limit'], {
    notObject: () => location(28646, '$filter only supports an object as its argument'),
    unknown: (key) => location(28647, `Unrecognized parameter to $filter: ${key}`),
    missing: (key) => location(key === 'input' ? 28648 : 28650, `Missing '${key}' parameter to $filter`),
  });
  const input = context.compile(given.input);
  const limit = given.limit === undefined ? undefined : context.compile(given.limit);
  const element: Cell = { value: undefined };
  const condition = context.withVariables({ [elementName(given.as)]: element }).compile(given.cond);
  return (current) => {
    const array = input(current);
    if (isNullish(array)) return null;
    if (!Array.isArray(array)) throw location(28651, `input to $filter must be an array not ${typeOf(array)}`);
    const wanted = limit === undefined ? array.length : limitOf(limit(current), array.length);
    spendElements(context.root, array.length);
    const kept: BsonValue[] = [];
    for (const item of array) {
      if (kept.length >= wanted) break;
      element.value = item;
      if (isTrue(condition(current))) kept.push(item);
    }
    return kept;
  };
}

function limitOf(value: BsonValue, length: number): number {
  if (isNullish(value)) return length;
  const limit = isNumeric(value) ? count(value) : undefined;
  if (limit === undefined)
    throw location(327391, `$filter: limit must be represented as a 32-bit integral value: ${typeOf(value)}`);
  if (limit <= 0) throw location(327392, `$filter: limit must be greater than 0: ${limit}`);
  return limit;
}

function reduce(...[argument, context, name]: Parameters<Operator>): ReturnType<Operator> {
  const given = namedArguments(name, argument, ['input', 'initialValue', 'in'], [], {
    notObject: () => location(40075, `$reduce requires an object as an argument, found: ${typeOf(argument)}`),
    unknown: (key) => location(40076, `$reduce found an unknown argument: ${key}`),
    missing: (key) =>
      location({ input: 40077, initialValue: 40078 }[key] ?? 40079, `$reduce requires '${key}' to be specified`),
  });
  const input = context.compile(given.input);
  const initial = context.compile(given.initialValue);
  const element: Cell = { value: undefined };
  const accumulated: Cell = { value: undefined };
  const body = context.withVariables({ this: element, value: accumulated }).compile(given.in);
  return (current) => {
    const array = input(current);
    if (isNullish(array)) return null;
    if (!Array.isArray(array))
      throw location(40080, `$reduce requires that 'input' be an array, found: ${typeOf(array)}`);
    spendElements(context.root, array.length);
    let result = initial(current);
    for (const item of array) {
      element.value = item;
      accumulated.value = result;
      result = body(current);
    }
    return result;
  };
}
