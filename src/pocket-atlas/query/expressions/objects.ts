import type { BsonValue, Doc } from '../../bson/values.js';
import { location } from '../errors.js';
import { fieldOf, isDocument, setField } from '../path.js';
import { namedArguments } from './arguments.js';
import { isNullish, type Operator, type OperatorTable, typeOf, unary, variadic } from './operator.js';

export const OBJECTS: OperatorTable = {
  $mergeObjects: variadic(mergeObjects),
  $objectToArray: unary(objectToArray),
  $arrayToObject: unary(arrayToObject),
  $getField: getField,
  $setField: setFieldOperator,
  $unsetField: (argument, context, name) => {
    const given = namedArguments(name, argument, ['field', 'input'], [], fieldCodes(name));
    return replaceField(fieldName(given.field, name), context.compile(given.input), () => undefined, name);
  },
};

function mergeObjects(values: BsonValue[]): BsonValue {
  const merged: Doc = {};
  // one array of documents stands for its elements
  const objects = values.length === 1 && Array.isArray(values[0]) ? values[0] : values;
  for (const value of objects) {
    if (isNullish(value)) continue;
    if (!isDocument(value))
      throw location(40400, `$mergeObjects requires object inputs, but input is of type ${typeOf(value)}`);
    for (const name of Object.keys(value)) setField(merged, name, value[name]);
  }
  return merged;
}

function objectToArray(value: BsonValue): BsonValue {
  if (isNullish(value)) return null;
  if (!isDocument(value)) throw location(40390, `$objectToArray requires a document input, found: ${typeOf(value)}`);
  return Object.entries(value).map(([k, v]) => ({ k, v }));
}

/** Elements are all `{ k, v }` or all `[k, v]`; of a repeated key the last value counts. */
function arrayToObject(value: BsonValue): BsonValue {
  if (isNullish(value)) return null;
  if (!Array.isArray(value)) throw location(40386, `$arrayToObject requires an array input, found: ${typeOf(value)}`);
  const result: Doc = {};
  const isPairs = Array.isArray(value[0]);
  for (const item of value) {
    const [name, field] = isPairs ? pair(item) : keyValue(item);
    if (name.includes('\0')) throw location(4940401, 'Key field cannot contain an embedded null byte');
    setField(result, name, field);
  }
  return result;
}

function pair(item: BsonValue): [string, BsonValue] {
  if (!Array.isArray(item))
    throw location(
      40396,
      `$arrayToObject requires a consistent input format. Elements must all be arrays or all be objects. Array was detected, now found: ${typeOf(item)}`,
    );
  if (item.length !== 2)
    throw location(40397, `$arrayToObject requires an array of size 2 arrays,found array of size: ${item.length}`);
  if (typeof item[0] !== 'string') {
    throw location(
      40395,
      `$arrayToObject requires an array of key-value pairs, where the key must be of type string. Found key type: ${typeOf(item[0])}`,
    );
  }
  return [item[0], item[1]];
}

function keyValue(item: BsonValue): [string, BsonValue] {
  if (!isDocument(item)) {
    throw Array.isArray(item)
      ? location(
          40391,
          '$arrayToObject requires a consistent input format. Elements must all be arrays or all be objects. Object was detected, now found: array',
        )
      : location(40398, `Unrecognised input type format for $arrayToObject: ${typeOf(item)}`);
  }
  if (Object.keys(item).length !== 2) {
    throw location(
      40392,
      `$arrayToObject requires an object keys of 'k' and 'v'. Found incorrect number of keys:${Object.keys(item).length}`,
    );
  }
  if (!Object.hasOwn(item, 'k') || !Object.hasOwn(item, 'v')) {
    throw location(
      40393,
      `$arrayToObject requires an object with keys 'k' and 'v'. Missing either or both keys from: ${Object.keys(item).join(', ')}`,
    );
  }
  if (typeof item.k !== 'string') {
    throw location(
      40394,
      `$arrayToObject requires an object with keys 'k' and 'v', where the value of 'k' must be of type string. Found type: ${typeOf(item.k)}`,
    );
  }
  return [item.k, item.v];
}

const fieldCodes = (name: string) => ({
  notObject: () => location(4161100, `${name} only supports an object as its argument`),
  unknown: (key: string) => location(4161101, `${name} found an unknown argument: ${key}`),
  missing: (key: string) => location(4161109, `${name} requires '${key}' to be specified`),
});

/** Field names here are taken as they are: dots and dollars do not count. */
function fieldName(expression: BsonValue, name: string): string {
  if (typeof expression === 'string' && !expression.startsWith('$')) return expression;
  if (isDocument(expression) && typeof expression.$literal === 'string') return expression.$literal;
  throw location(4161106, `${name} requires 'field' to evaluate to a constant string`);
}

function getField(...[argument, context, name]: Parameters<Operator>): ReturnType<Operator> {
  const isNamed = isDocument(argument) && !Object.keys(argument)[0]?.startsWith('$');
  const given = isNamed
    ? namedArguments(name, argument, ['field'], ['input'], {
        unknown: (key) => location(3041701, `$getField found an unknown argument: ${key}`),
        missing: () => location(3041702, "$getField requires 'field' to be specified"),
      })
    : { field: argument };
  const field = context.compile(given.field);
  const input = Object.hasOwn(given, 'input') ? context.compile(given.input) : undefined;
  return (current) => {
    const key = field(current);
    if (typeof key !== 'string') {
      throw location(3041704, `$getField requires 'field' to evaluate to type String, but got ${typeOf(key)}`);
    }
    const from = input === undefined ? current : input(current);
    if (isDocument(from)) return fieldOf(from, key);
    return from === null ? null : undefined;
  };
}

function setFieldOperator(...[argument, context, name]: Parameters<Operator>): ReturnType<Operator> {
  const given = namedArguments(name, argument, ['field', 'input', 'value'], [], fieldCodes(name));
  return replaceField(fieldName(given.field, name), context.compile(given.input), context.compile(given.value), name);
}

function replaceField(
  field: string,
  input: (current: BsonValue) => BsonValue,
  value: (current: BsonValue) => BsonValue,
  name: string,
): (current: BsonValue) => BsonValue {
  return (current) => {
    const from = input(current);
    if (isNullish(from)) return null;
    if (!isDocument(from)) throw location(4161105, `${name} requires 'input' to evaluate to type Object`);
    const result = { ...from };
    const next = value(current);
    if (next === undefined) delete result[field];
    else setField(result, field, next);
    return result;
  };
}
