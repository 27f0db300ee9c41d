import { compare, equals } from '../../bson/compare.js';
import type { BsonValue, Doc } from '../../bson/values.js';
import { describe } from '../describe.js';
import { badValue, failedToParse, typeMismatch } from '../errors.js';
import { typeOf } from '../expressions/operator.js';
import { conditionOnValue } from '../filter/condition.js';
import { compileCondition, isOperatorDocument } from '../filter/field-operators.js';
import { compileFilter } from '../filter.js';
import { count, isNumeric } from '../numeric.js';
import { isDocument } from '../path.js';
import { isRegex } from '../regex.js';
import { compileSort } from '../sort.js';
import { ValueSet } from '../value-set.js';
import { idOf, lastPart, type Modifier, modifier, remover, unlessSame } from './field-modifiers.js';
import type { LeafContext, UpdateLeaf } from './node.js';

/** Source: MongoDB manual, "Array Update Operators". */
export const ARRAY_MODIFIERS: Readonly<Record<string, Modifier>> = {
  $push: push,
  $addToSet: addToSet,
  $pop: pop,
  $pull: pull,
  $pullAll: pullAll,
};

const PUSH_CLAUSES: ReadonlySet<string> = new Set(['$each', '$slice', '$sort', '$position']);

function push(argument: BsonValue): UpdateLeaf {
  const clauses = isDocument(argument) && Object.hasOwn(argument, '$each') ? argument : { $each: [argument] };
  for (const name of Object.keys(clauses)) {
    if (!PUSH_CLAUSES.has(name)) throw badValue(`Unrecognized clause in $push: ${name}`);
  }
  const each = clauses.$each;
  if (!Array.isArray(each)) {
    throw badValue(`The argument to $each in $push must be an array but it was of type: ${typeOf(each)}`);
  }
  const position = wholeClause('$position', clauses.$position);
  const slice = wholeClause('$slice', clauses.$slice);
  const order = pushOrder(clauses.$sort);
  return modifier((value, context) => {
    if (value !== undefined && !Array.isArray(value)) {
      throw badValue(
        `The field '${lastPart(context.path)}' must be an array but is of type ${typeOf(value)} in document ${idOf(context)}`,
      );
    }
    const before = value ?? [];
    const at = position === undefined ? before.length : insertionIndex(position, before.length);
    let after = [...before.slice(0, at), ...each, ...before.slice(at)];
    if (order !== undefined) after.sort(order);
    if (slice !== undefined) after = slice >= 0 ? after.slice(0, slice) : after.slice(slice);
    return unlessSame(value, after);
  });
}

function insertionIndex(position: number, length: number): number {
  return position >= 0 ? Math.min(position, length) : Math.max(0, length + position);
}

function wholeClause(name: string, value: BsonValue): number | undefined {
  if (value === undefined) return undefined;
  const whole = count(value);
  if (whole === undefined) {
    throw badValue(`The value for ${name} must be an integer value but was given type: ${typeOf(value)}`);
  }
  return whole;
}

function pushOrder(sort: BsonValue): ((a: BsonValue, b: BsonValue) => number) | undefined {
  if (sort === undefined) return undefined;
  if (isDocument(sort)) {
    if (Object.keys(sort).length === 0) throw badValue('The $sort pattern is empty when it should be a set of fields.');
    const byFields = compileSort(sort);
    // what is no document has none of the fields
    const asDocument = (value: BsonValue) => (isDocument(value) ? value : {});
    return (a, b) => byFields(asDocument(a), asDocument(b));
  }
  const direction = isNumeric(sort) ? count(sort) : undefined;
  if (direction !== 1 && direction !== -1) throw badValue('The $sort element value must be either 1 or -1');
  return (a, b) => compare(a, b) * direction;
}

function addToSet(argument: BsonValue): UpdateLeaf {
  let each: readonly BsonValue[] = [argument];
  if (isDocument(argument) && Object.keys(argument)[0] === '$each') {
    if (!Array.isArray(argument.$each)) {
      throw typeMismatch(
        `The argument to $each in $addToSet must be an array but it was of type ${typeOf(argument.$each)}`,
      );
    }
    if (Object.keys(argument).length > 1) {
      throw badValue(`Found unexpected fields after $each in $addToSet: ${describe(argument)}`);
    }
    each = argument.$each;
  }
  return modifier((value, context) => {
    if (value !== undefined && !Array.isArray(value)) {
      throw badValue(
        `Cannot apply $addToSet to non-array field. Field named '${lastPart(context.path)}' has non-array type ${typeOf(value)}`,
      );
    }
    const known = new ValueSet(value);
    const added = each.filter((item) => known.add(item));
    if (value !== undefined && added.length === 0) return value;
    return [...(value ?? []), ...added];
  });
}

function pop(argument: BsonValue, path: string): UpdateLeaf {
  const end = isNumeric(argument) ? count(argument) : undefined;
  if (!isNumeric(argument)) throw failedToParse(`Expected a number in: ${path}: ${describe(argument)}`);
  if (end !== 1 && end !== -1) throw failedToParse(`$pop expects 1 or -1, found: ${describe(argument)}`);
  return remover((value, context) => {
    if (!Array.isArray(value)) {
      throw typeMismatch(`Path '${context.path}' contains an element of non-array type '${typeOf(value)}'`);
    }
    if (value.length === 0) return value;
    return end === 1 ? value.slice(0, -1) : value.slice(1);
  });
}

function pull(argument: BsonValue): UpdateLeaf {
  const matches = pullCondition(argument);
  return remover((value, context) => culled(value, context, matches));
}

/** A document is a filter on elements that are documents, or operators on the element; anything else is equality. */
function pullCondition(argument: BsonValue): (element: BsonValue) => boolean {
  // $pull takes no variables
  const compile = (filter: Doc) => compileFilter(filter, { now: new Date(0), vars: {} });
  if (isOperatorDocument(argument) || isRegex(argument)) {
    const first = isDocument(argument) ? Object.keys(argument)[0]! : '';
    if (isDocument(argument) && LOGICAL.has(first)) {
      const matches = compile(argument);
      return (element) => isDocument(element) && matches(element);
    }
    return conditionOnValue(compileCondition(argument, '', compile));
  }
  if (isDocument(argument)) {
    const matches = compile(argument);
    return (element) => isDocument(element) && matches(element);
  }
  return (element) => equals(element, argument);
}

const LOGICAL: ReadonlySet<string> = new Set(['$and', '$or', '$nor', '$expr']);

function pullAll(argument: BsonValue): UpdateLeaf {
  if (!Array.isArray(argument)) {
    throw badValue(`$pullAll requires an array argument but was given a ${typeOf(argument)}`);
  }
  const unwanted = new ValueSet(argument);
  return remover((value, context) => culled(value, context, (element) => unwanted.has(element)));
}

function culled(value: BsonValue, _context: LeafContext, matches: (element: BsonValue) => boolean): BsonValue {
  if (!Array.isArray(value)) throw badValue('Cannot apply $pull to a non-array value');
  const kept = value.filter((element) => !matches(element));
  return kept.length === value.length ? value : kept;
}
