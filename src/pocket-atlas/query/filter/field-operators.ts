import { BSONRegExp } from 'bson';
import { equals } from '../../bson/compare.js';
import type { BsonValue, Doc } from '../../bson/values.js';
import { describe } from '../describe.js';
import { badValue, location } from '../errors.js';
import { count, isNumeric, toDouble } from '../numeric.js';
import { isDocument, type ValueTest } from '../path.js';
import { compileRegex, isRegex, regexOf, regexTest } from '../regex.js';
import { equalTo, inRange, isReference, oneOf } from './comparison.js';
import { and, arrayLeaf, type Condition, conditionOnValue, leaf, type Match, not } from './condition.js';
import { bits, modulo } from './number-operators.js';
import { hasType } from './type-operator.js';

/** What an operator may need beside its own argument. */
interface FieldContext {
  readonly path: string;
  /** The whole `{ $regex: …, $options: … }`. */
  readonly siblings: Doc;
  readonly compileFilter: (filter: Doc) => Match;
}

type FieldOperator = (argument: BsonValue, context: FieldContext) => Condition | undefined;

/** Operators on a field. Undefined: says nothing by itself. Source: MongoDB manual, "Query Predicates". */
const FIELD_OPERATORS: ReadonlyMap<string, FieldOperator> = new Map<string, FieldOperator>([
  ['$eq', (argument) => leaf(equalTo(argument))],
  ['$ne', notEqual],
  ['$gt', (argument, { path }) => leaf(inRange('$gt', argument, path))],
  ['$gte', (argument, { path }) => leaf(inRange('$gte', argument, path))],
  ['$lt', (argument, { path }) => leaf(inRange('$lt', argument, path))],
  ['$lte', (argument, { path }) => leaf(inRange('$lte', argument, path))],
  ['$in', (argument) => leaf(oneOf('$in', argument))],
  ['$nin', (argument) => not(leaf(oneOf('$nin', argument)))],
  ['$not', negation],
  ['$exists', existence],
  ['$type', (argument) => leaf(hasType(argument))],
  ['$mod', (argument) => leaf(modulo(argument))],
  ['$regex', regex],
  ['$options', options],
  ['$size', size],
  ['$all', all],
  ['$elemMatch', elemMatch],
  ['$bitsAllSet', (argument) => leaf(bits('$bitsAllSet', argument))],
  ['$bitsAllClear', (argument) => leaf(bits('$bitsAllClear', argument))],
  ['$bitsAnySet', (argument) => leaf(bits('$bitsAnySet', argument))],
  ['$bitsAnyClear', (argument) => leaf(bits('$bitsAnyClear', argument))],
  ['$comment', () => undefined],
]);

/** Whether `{ field: value }` holds operators rather than a document to be equal to. */
export function isOperatorDocument(value: BsonValue): value is Doc {
  return isDocument(value) && Object.keys(value)[0]?.startsWith('$') === true && !isReference(value);
}

/** The condition of `{ path: value }`. */
export function compileCondition(value: BsonValue, path: string, compileFilter: (filter: Doc) => Match): Condition {
  if (isRegex(value)) return regexCondition(value);
  if (!isOperatorDocument(value)) return leaf(equalTo(value));
  const conditions: Condition[] = [];
  for (const [operator, argument] of Object.entries(value)) {
    const compile = FIELD_OPERATORS.get(operator);
    if (compile === undefined) throw badValue(`unknown operator: ${operator}`);
    const condition = compile(argument, { path, siblings: value, compileFilter });
    if (condition !== undefined) conditions.push(condition);
  }
  return conditions.length === 1 ? conditions[0]! : and(conditions);
}

function regexCondition(value: RegExp | BSONRegExp): Condition {
  const matches = regexTest(regexOf(value));
  return leaf((candidate) => matches(candidate) || (isRegex(candidate) && equals(candidate, value)));
}

function notEqual(argument: BsonValue): Condition {
  if (isRegex(argument)) throw badValue("Can't have regex as arg to $ne.");
  return not(leaf(equalTo(argument)));
}

function negation(argument: BsonValue, { path, compileFilter }: FieldContext): Condition {
  if (isRegex(argument)) return not(regexCondition(argument));
  if (!isDocument(argument)) throw badValue('$not needs a regex or a document');
  if (Object.keys(argument).length === 0) throw badValue('$not cannot be empty');
  if (!isOperatorDocument(argument)) throw badValue(`unknown operator: ${Object.keys(argument)[0]}`);
  return not(compileCondition(argument, path, compileFilter));
}

function existence(argument: BsonValue): Condition {
  const exists = leaf((value) => value !== undefined);
  return isTruthy(argument) ? exists : not(exists);
}

/** Truth of a flag in a query: everything but false, null and zero. */
export function isTruthy(value: BsonValue): boolean {
  if (isNumeric(value)) return toDouble(value) !== 0;
  return value !== undefined && value !== null && value !== false;
}

function regex(argument: BsonValue, { siblings }: FieldContext): Condition {
  const given = siblings.$options;
  if (given !== undefined && typeof given !== 'string') throw badValue('$options has to be a string');
  if (isRegex(argument)) {
    const own =
      argument instanceof BSONRegExp
        ? argument
        : new BSONRegExp(argument.source, argument.flags.replace(/[^imsx]/g, ''));
    if (given !== undefined && own.options !== '') throw location(51075, 'options set in both $regex and $options');
    return regexCondition(given === undefined ? own : bsonRegex(own.pattern, given));
  }
  if (typeof argument !== 'string') throw badValue('$regex has to be a string');
  return regexCondition(bsonRegex(argument, given ?? ''));
}

function bsonRegex(pattern: string, flags: string): BSONRegExp {
  // checked here first: BSONRegExp has texts of its own
  compileRegex(pattern, flags);
  return new BSONRegExp(pattern, flags);
}

function options(_argument: BsonValue, { siblings }: FieldContext): undefined {
  if (!Object.hasOwn(siblings, '$regex')) throw badValue('$options needs a $regex');
}

function size(argument: BsonValue): Condition {
  if (!isNumeric(argument)) {
    throw badValue(`Failed to parse $size. Expected a number in: $size: ${describe(argument)}`);
  }
  const length = count(argument);
  if (length === undefined) {
    throw badValue(`Failed to parse $size. Expected an integer: $size: ${describe(argument)}`);
  }
  if (length < 0) {
    throw badValue(`Failed to parse $size. Expected a non-negative number in: $size: ${describe(argument)}`);
  }
  return arrayLeaf((value) => Array.isArray(value) && value.length === length);
}

function all(argument: BsonValue, context: FieldContext): Condition {
  if (!Array.isArray(argument)) throw badValue('$all needs an array');
  if (argument.length === 0) return leaf(() => false);
  const isElemMatch = (item: BsonValue): item is Doc => isDocument(item) && Object.keys(item)[0] === '$elemMatch';
  if (isElemMatch(argument[0])) {
    return and(
      argument.map((item) => {
        if (!isElemMatch(item)) throw badValue('$all/$elemMatch has to be consistent');
        return elemMatch(item.$elemMatch, context);
      }),
    );
  }
  return and(
    argument.map((item) => {
      if (isOperatorDocument(item)) throw badValue('no $ expressions in $all');
      return isRegex(item) ? regexCondition(item) : leaf(equalTo(item));
    }),
  );
}

/** Logical operators that make `$elemMatch` hold a filter on documents, not conditions on the element itself. */
const FILTER_OPERATORS: ReadonlySet<string> = new Set([
  '$and',
  '$or',
  '$nor',
  '$expr',
  '$where',
  '$comment',
  '$jsonSchema',
]);

function elemMatch(argument: BsonValue, { path, compileFilter }: FieldContext): Condition {
  if (!isDocument(argument)) throw badValue('$elemMatch needs an Object');
  const isOnElement = isOperatorDocument(argument) && !FILTER_OPERATORS.has(Object.keys(argument)[0]!);
  if (isOnElement) return anyElement(conditionOnValue(compileCondition(argument, path, compileFilter)));
  const matches = compileFilter(argument);
  return anyElement((element) => {
    if (Array.isArray(element)) return matches({ ...element } as unknown as Doc);
    return isDocument(element) && matches(element);
  });
}

function anyElement(test: ValueTest): Condition {
  return arrayLeaf((value, details) => {
    if (!Array.isArray(value)) return false;
    const at = value.findIndex((element) => test(element));
    if (at >= 0 && details !== undefined) details.arrayIndex = at;
    return at >= 0;
  });
}
