import { Binary, Decimal128 } from 'bson';
import { describe, expect, it } from 'vitest';
import type { BsonValue } from '../../../../src/pocket-atlas/bson/values.js';
import { parseFilter } from '../../../../src/pocket-atlas/search/filter/filter-language.js';

const NOT_A_VALUE = 'must be a boolean, objectId, number, string, date, uuid, or null';

describe('the filter language refuses', () => {
  it.each<[string, BsonValue, string]>([
    ['what is no document', [], '"filter" must be a document'],
    ['a regular expression operator', { a: { $regex: 'x' } }, '"filter.a" unrecognized field "$regex"'],
    [
      'several operators that it does not have',
      { a: { $size: 1, $all: [] } },
      '"filter.a" unrecognized fields ["$size", "$all"]',
    ],
    ['an unknown logical operator', { $xor: [] }, '"filter" unrecognized field "$xor"'],
    ['a regular expression', { a: /x/ }, `"filter" ${NOT_A_VALUE}`],
    ['a document in short form', { a: { b: 1 } }, `"filter" ${NOT_A_VALUE}`],
    ['an empty document', { a: {} }, `"filter" ${NOT_A_VALUE}`],
    ['an array in short form', { a: [1] }, `"filter" ${NOT_A_VALUE}`],
    ['a document in long form', { a: { $eq: { b: 1 } } }, `"filter.a.$eq" ${NOT_A_VALUE}`],
    ['a decimal', { a: { $eq: Decimal128.fromString('1') } }, `"filter.a.$eq" ${NOT_A_VALUE}`],
    [
      'binary data other than a UUID',
      { a: { $eq: new Binary(Buffer.alloc(16), 0) } },
      '"filter.a.$eq" binary value must be UUID subtype 4',
    ],
    [
      'null as a bound',
      { a: { $gt: null } },
      '"filter.a.$gt" must be a boolean, date, number, objectId, string, or uuid',
    ],
    ['an empty $in', { x: { $in: [] } }, '"filter.x.$in" cannot be empty'],
    ['$in of several types', { x: { $in: [1, 'a'] } }, '"filter.x.$in" must have elements of the same type'],
    ['null in $in', { x: { $in: [null] } }, '"filter.x.$in" value type cannot be null'],
    ['$nin that is no array', { x: { $nin: 1 } }, '"filter.x.$nin" must be an array'],
    ['an empty $and', { $and: [] }, '"filter.$and" cannot be empty'],
    ['$exists with a number', { x: { $exists: 1 } }, '"filter.x.$exists" must be a boolean'],
    ['$not with a value', { x: { $not: 1 } }, '"filter.x.$not" must be a document'],
    [
      '$not with nothing',
      { x: { $not: {} } },
      '"filter.x.$not" at least one of [$eq, $ne, $gt, $gte, $lt, $lte, $in, $nin, $exists, $not] must be present',
    ],
    [
      'what is wrong deep inside, with its path',
      { $or: [{ a: 1 }, { $and: [{ b: { $in: [] } }] }] },
      '"filter.$or[1].$and[0].b.$in" cannot be empty',
    ],
  ])('%s', (_, filter, message) => {
    expect(() => parseFilter(filter)).toThrow(message);
  });

  it('nesting without end', () => {
    const filter = Array.from({ length: 150 }).reduce<BsonValue>((inner) => ({ $and: [inner] }), { a: 1 });
    expect(() => parseFilter(filter)).toThrow('must not nest deeper than 100 levels');
  });
});
