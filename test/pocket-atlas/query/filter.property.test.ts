import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { compare, equals } from '../../../src/pocket-atlas/bson/compare.js';
import { TYPE_ORDER, typeName } from '../../../src/pocket-atlas/bson/type.js';
import type { BsonValue, Doc } from '../../../src/pocket-atlas/bson/values.js';
import { compileFilter } from '../../../src/pocket-atlas/query/filter.js';
import { variables } from './check.js';
import { document, filter } from './values.arbitrary.js';

// Goal: the compiled matcher, with its short cuts, says what the rules say. Method: the rules written down once more in
// the plainest way, over lists of candidate values, compared on random filters and documents of mixed types.

const isDoc = (value: BsonValue): value is Doc =>
  typeof value === 'object' && value !== null && [null, Object.prototype].includes(Object.getPrototypeOf(value));

/** Values that a path stands for; undefined for a missing one. Whole arrays come after their elements. */
function candidates(value: BsonValue, path: string[], whole: boolean): BsonValue[] {
  const [name, ...rest] = path;
  const own = isDoc(value) && Object.hasOwn(value, name!) ? value[name!] : undefined;
  if (rest.length === 0) return Array.isArray(own) && !whole ? [...own, own] : [own];
  return Array.isArray(own) ? inArray(own, rest, whole) : isDoc(own) ? candidates(own, rest, whole) : [undefined];
}

function inArray(array: BsonValue[], path: string[], whole: boolean): BsonValue[] {
  const [name, ...rest] = path;
  return array.flatMap((element, at) => {
    const found = isDoc(element) ? candidates(element, path, whole) : [];
    if (name !== String(at)) return found;
    if (rest.length === 0) return [...found, element];
    if (Array.isArray(element)) return [...found, ...inArray(element, rest, whole)];
    return isDoc(element) ? [...found, ...candidates(element, rest, whole)] : found;
  });
}

const sameType = (a: BsonValue, b: BsonValue) => TYPE_ORDER[typeName(a)] === TYPE_ORDER[typeName(b)];
const isNull = (value: BsonValue) => value === null || value === undefined;
const equal = (a: BsonValue, b: BsonValue) => (isNull(b) ? isNull(a) : a !== undefined && equals(a, b));

const NUMBERS = ['int', 'long', 'double', 'decimal'];

/** One operator on one value; `undefined` where the operator is about something else. */
function holds(operator: string, argument: BsonValue, value: BsonValue): boolean {
  switch (operator) {
    case '$eq':
      return equal(value, argument);
    case '$gt':
      return !isNull(argument) && value !== undefined && sameType(value, argument) && compare(value, argument) > 0;
    case '$lt':
      return !isNull(argument) && value !== undefined && sameType(value, argument) && compare(value, argument) < 0;
    case '$gte':
      return holds('$gt', argument, value) || equal(value, argument);
    case '$lte':
      return holds('$lt', argument, value) || equal(value, argument);
    case '$in':
      return (argument as BsonValue[]).some((item) => equal(value, item));
    case '$exists':
      return value !== undefined;
    case '$type':
      if (value === undefined) return false;
      return argument === 'number' ? NUMBERS.includes(typeName(value)) : typeName(value) === argument;
    case '$regex':
      return typeof value === 'string' && new RegExp(argument as string).test(value);
    case '$size':
      return Array.isArray(value) && value.length === argument;
    case '$elemMatch':
      return Array.isArray(value) && value.some((element) => matchesElement(element, argument as Doc));
    default:
      throw new Error(`the naive matcher does not know ${operator}`);
  }
}

function matchesElement(element: BsonValue, condition: Doc): boolean {
  const entries = Object.entries(condition);
  if (entries[0]?.[0].startsWith('$'))
    return entries.every(([operator, argument]) => holds(operator, argument, element));
  if (Array.isArray(element)) return naive(condition, { ...element } as unknown as Doc);
  return isDoc(element) && naive(condition, element);
}

function operatorOnPath(doc: Doc, path: string, operator: string, argument: BsonValue): boolean {
  switch (operator) {
    case '$ne':
      return !operatorOnPath(doc, path, '$eq', argument);
    case '$nin':
      return !operatorOnPath(doc, path, '$in', argument);
    case '$not':
      return !Object.entries(argument as Doc).every(([inner, value]) => operatorOnPath(doc, path, inner, value));
    case '$exists':
      return candidates(doc, path.split('.'), false).some((value) => value !== undefined) === argument;
    case '$all':
      return (argument as BsonValue[]).every((item) => operatorOnPath(doc, path, '$eq', item));
    default: {
      const whole = operator === '$size' || operator === '$elemMatch';
      return candidates(doc, path.split('.'), whole).some((value) => holds(operator, argument, value));
    }
  }
}

function naive(wanted: Doc, doc: Doc): boolean {
  return Object.entries(wanted).every(([key, value]) => {
    if (key === '$and') return (value as Doc[]).every((clause) => naive(clause, doc));
    if (key === '$or') return (value as Doc[]).some((clause) => naive(clause, doc));
    if (key === '$nor') return !(value as Doc[]).some((clause) => naive(clause, doc));
    const isOperators = isDoc(value) && Object.keys(value)[0]?.startsWith('$');
    if (!isOperators) return operatorOnPath(doc, key, '$eq', value);
    return Object.entries(value as Doc).every(([operator, argument]) => operatorOnPath(doc, key, operator, argument));
  });
}

it('agrees with a naive matcher on any filter and document', () => {
  let matched = 0;
  fc.assert(
    fc.property(filter, document, (wanted, doc) => {
      const expected = naive(wanted, doc);
      if (expected) matched++;
      expect(compileFilter(wanted, variables)(doc)).toBe(expected);
    }),
    { numRuns: 2000 },
  );
  // both answers must have been seen often for this to say anything
  expect(matched).toBeGreaterThan(200);
  expect(matched).toBeLessThan(1800);
});
