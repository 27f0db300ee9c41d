import { Decimal128, Double, Long, ObjectId } from 'bson';
import * as fc from 'fast-check';
import type { BsonValue, Doc } from '../../../src/pocket-atlas/bson/values.js';

/** Few distinct values of many types, so that random filters often match random documents. */
export const scalar: fc.Arbitrary<BsonValue> = fc.constantFrom<BsonValue[]>(
  0,
  1,
  2,
  3,
  1.5,
  -1,
  new Double(1),
  Long.fromNumber(2),
  Decimal128.fromString('3'),
  '',
  'a',
  'ab',
  'b',
  true,
  false,
  null,
  new Date(0),
  new Date(1),
  new ObjectId('0123456789abcdef01234567'),
);

const fieldName = fc.constantFrom('a', 'b', 'c');

export const value: fc.Arbitrary<BsonValue> = fc.letrec<{ value: BsonValue; doc: Doc; array: BsonValue[] }>((tie) => ({
  value: fc.oneof({ maxDepth: 3, depthSize: 'small' }, scalar, scalar, tie('array'), tie('doc')),
  doc: fc.dictionary(fieldName, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  array: fc.array(tie('value'), { maxLength: 3 }),
})).value;

export const document: fc.Arbitrary<Doc> = fc.dictionary(fieldName, value, { maxKeys: 3, noNullPrototype: true });

export const path = fc.constantFrom('a', 'b', 'c', 'a.b', 'a.c', 'b.a', 'a.b.c', 'a.0', 'a.0.b', 'b.1');

const operators: fc.Arbitrary<Doc> = fc.oneof(
  fc.record({ $eq: value }),
  fc.record({ $ne: value }),
  fc.record({ $gt: scalar }),
  fc.record({ $gte: scalar, $lt: scalar }),
  fc.record({ $lte: scalar }),
  fc.record({ $in: fc.array(value, { maxLength: 3 }) }),
  fc.record({ $nin: fc.array(scalar, { maxLength: 3 }) }),
  fc.record({ $exists: fc.boolean() }),
  fc.record({ $size: fc.integer({ min: 0, max: 2 }) }),
  fc.record({ $type: fc.constantFrom('number', 'string', 'array', 'object', 'null') }),
  fc.record({ $all: fc.array(scalar, { minLength: 1, maxLength: 2 }) }),
  fc.record({ $not: fc.record({ $gt: scalar }) }),
  fc.record({ $regex: fc.constantFrom('^a', 'b$', '^ab?') }),
  fc.record({ $elemMatch: fc.record({ $gte: scalar, $lte: scalar }) }),
  fc.record({ $elemMatch: fc.record({ b: scalar, c: scalar }, { requiredKeys: ['b'] }) }),
) as fc.Arbitrary<Doc>;

const fieldCondition: fc.Arbitrary<Doc> = fc
  .tuple(path, fc.oneof(value, operators, operators))
  .map(([name, condition]) => ({
    [name]: condition,
  }));

export const filter: fc.Arbitrary<Doc> = fc.letrec<{ filter: Doc }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 2, depthSize: 'small' },
    fieldCondition,
    fc.tuple(fieldCondition, fieldCondition).map(([a, b]) => ({ ...a, ...b })),
    fc.array(tie('filter'), { minLength: 1, maxLength: 3 }).map((clauses): Doc => ({ $and: clauses })),
    fc.array(tie('filter'), { minLength: 1, maxLength: 3 }).map((clauses): Doc => ({ $or: clauses })),
    fc.array(tie('filter'), { minLength: 1, maxLength: 2 }).map((clauses): Doc => ({ $nor: clauses })),
  ),
})).filter;
