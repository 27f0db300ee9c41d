import { Decimal128, Double, Long, Timestamp } from 'bson';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encode } from '../../../src/pocket-atlas/bson/encode.js';
import type { BsonValue, Doc } from '../../../src/pocket-atlas/bson/values.js';
import { compileUpdate, type UpdateOptions, upsertDocument } from '../../../src/pocket-atlas/query/update.js';
import { failure, NOW, variables } from './check.js';
import { document, scalar, value } from './values.arbitrary.js';

type Options = Partial<UpdateOptions>;

function update(doc: Doc, change: Doc | Doc[], options: Options = {}): Doc {
  return compileUpdate(change, { variables, ...options })(doc);
}

/** Field order counts: the text of the entries is compared too. */
function check(before: Doc, change: Doc | Doc[], after: Doc, options: Options = {}): void {
  const copy = structuredClone(JSON.stringify(before));
  const result = update(before, change, options);
  expect(result, JSON.stringify(change)).toStrictEqual(after);
  expect(JSON.stringify(result)).toBe(JSON.stringify(after));
  expect(JSON.stringify(before), 'the document given is left alone').toBe(copy);
}

describe('field modifiers', () => {
  it('set, unset and rename', () => {
    check({ _id: 1, a: 1 }, { $set: { a: 2, b: { c: 1 } } }, { _id: 1, a: 2, b: { c: 1 } });
    check({ _id: 1 }, { $set: { 'a.b.c': 1 } }, { _id: 1, a: { b: { c: 1 } } });
    check({ _id: 1, a: [1, { b: 2 }] }, { $set: { 'a.1.b': 3, 'a.3': 9 } }, { _id: 1, a: [1, { b: 3 }, null, 9] });
    check({ _id: 1, z: 1 }, { $set: { y: 1, b: 2, a10: 3, a2: 4 } }, { _id: 1, z: 1, a10: 3, a2: 4, b: 2, y: 1 });
    check({ _id: 1, a: {} }, { $set: { 'a.10': 1, 'a.9': 2 } }, { _id: 1, a: { 9: 2, 10: 1 } });
    check({ _id: 1, a: { b: 1, c: 2 } }, { $unset: { 'a.b': '', 'x.y': 1 } }, { _id: 1, a: { c: 2 } });
    check({ _id: 1, a: [1, 2] }, { $unset: { 'a.0': 1 } }, { _id: 1, a: [null, 2] });
    check({ _id: 1, a: 1, b: 2 }, { $rename: { a: 'c.d' } }, { _id: 1, b: 2, c: { d: 1 } });
    check({ _id: 1, a: 1, b: 2 }, { $rename: { a: 'b' } }, { _id: 1, b: 1 });
    check({ _id: 1, a: 1 }, { $rename: { nope: 'x.y' } }, { _id: 1, a: 1 });
    check({ _id: 1 }, { $setOnInsert: { a: 1 } }, { _id: 1 });
  });

  it('count in the types of both sides', () => {
    check({ _id: 1, a: 1 }, { $inc: { a: 2 } }, { _id: 1, a: 3 });
    check({ _id: 1, a: 2147483647 }, { $inc: { a: 1 } }, { _id: 1, a: Long.fromString('2147483648') });
    check({ _id: 1, a: Long.fromNumber(1) }, { $inc: { a: 1 } }, { _id: 1, a: Long.fromNumber(2) });
    check({ _id: 1, a: 1 }, { $inc: { a: new Double(1) } }, { _id: 1, a: new Double(2) });
    check(
      { _id: 1, a: 1 },
      { $inc: { a: Decimal128.fromString('0.10') } },
      { _id: 1, a: Decimal128.fromString('1.10') },
    );
    check({ _id: 1 }, { $inc: { 'a.b': 5 } }, { _id: 1, a: { b: 5 } });
    check({ _id: 1, a: 3 }, { $mul: { a: 2.5 } }, { _id: 1, a: 7.5 });
    check({ _id: 1 }, { $mul: { a: Long.fromNumber(5), b: 2.5 } }, { _id: 1, a: Long.fromNumber(0), b: new Double(0) });
    check({ _id: 1, a: 5, b: 5 }, { $min: { a: 3, b: 9 }, $max: { c: 1 } }, { _id: 1, a: 3, b: 5, c: 1 });
    check({ _id: 1, a: 5 }, { $max: { a: 'x' } }, { _id: 1, a: 'x' });
    check(
      { _id: 1, a: 13 },
      { $bit: { a: { and: 10 }, b: { or: Long.fromNumber(1) } } },
      { _id: 1, a: 8, b: Long.fromNumber(1) },
    );
    check(
      { _id: 1 },
      { $currentDate: { a: true, b: { $type: 'timestamp' } } },
      { _id: 1, a: NOW, b: new Timestamp({ t: NOW.getTime() / 1000, i: 1 }) },
    );
  });

  it('give back the very same document when nothing changes', () => {
    const doc: Doc = { _id: 1, a: 1, b: [1], s: { x: 1 }, d: new Double(2) };
    const idle: Doc[] = [
      { $set: { a: 1, 's.x': 1 } },
      { $unset: { q: 1 } },
      { $inc: { a: 0 } },
      { $min: { a: 5 } },
      { $addToSet: { b: 1 } },
      { $pull: { b: 7 } },
      { $push: { b: { $each: [] } } },
      { $set: { d: new Double(2) } },
      { ...doc },
    ];
    for (const change of idle) expect(update(doc, change), JSON.stringify(change)).toBe(doc);
    expect(update(doc, [{ $set: { a: 1 } }])).toBe(doc);
    expect(update(doc, { $set: { a: Long.ONE } })).not.toBe(doc);
    expect(update(doc, { $inc: { a: new Double(0) } })).toStrictEqual({ ...doc, a: new Double(1) });
  });
});

describe('array modifiers', () => {
  const doc: Doc = { _id: 1, a: [3, 1, 2] };
  it('push', () => {
    check(doc, { $push: { a: 9 } }, { _id: 1, a: [3, 1, 2, 9] });
    check(doc, { $push: { a: [9] } }, { _id: 1, a: [3, 1, 2, [9]] });
    check(doc, { $push: { b: 1 } }, { _id: 1, a: [3, 1, 2], b: [1] });
    check(doc, { $push: { a: { $each: [8, 9], $position: 1 } } }, { _id: 1, a: [3, 8, 9, 1, 2] });
    check(doc, { $push: { a: { $each: [9], $position: -1 } } }, { _id: 1, a: [3, 1, 9, 2] });
    check(doc, { $push: { a: { $each: [0], $sort: -1, $slice: 2 } } }, { _id: 1, a: [3, 2] });
    check(doc, { $push: { a: { $each: [], $slice: -1 } } }, { _id: 1, a: [2] });
    check(
      { _id: 1, a: [{ x: 2 }, { x: 1 }] },
      { $push: { a: { $each: [{ x: 0 }], $sort: { x: 1 } } } },
      { _id: 1, a: [{ x: 0 }, { x: 1 }, { x: 2 }] },
    );
  });

  it('add to a set, by BSON equality', () => {
    check(doc, { $addToSet: { a: { $each: [new Double(1), 4, 4] } } }, { _id: 1, a: [3, 1, 2, 4] });
    check(
      { _id: 1, a: [{ x: 1, y: 2 }] },
      { $addToSet: { a: { y: 2, x: 1 } } },
      {
        _id: 1,
        a: [
          { x: 1, y: 2 },
          { y: 2, x: 1 },
        ],
      },
    );
    check({ _id: 1 }, { $addToSet: { a: 1 } }, { _id: 1, a: [1] });
  });

  it('pop and pull', () => {
    check(doc, { $pop: { a: 1 } }, { _id: 1, a: [3, 1] });
    check(doc, { $pop: { a: -1 } }, { _id: 1, a: [1, 2] });
    check(doc, { $pop: { nope: 1 } }, doc);
    check(doc, { $pull: { a: { $gte: 2 } } }, { _id: 1, a: [1] });
    check(doc, { $pull: { a: 1 } }, { _id: 1, a: [3, 2] });
    check(doc, { $pullAll: { a: [1, 3] } }, { _id: 1, a: [2] });
    check({ _id: 1, a: ['ab', 'cd'] }, { $pull: { a: /^a/ } }, { _id: 1, a: ['cd'] });
    check(
      {
        _id: 1,
        a: [
          { s: 8, t: 'B' },
          { s: 5, t: 'A' },
        ],
      },
      { $pull: { a: { s: 8, t: 'B' } } },
      { _id: 1, a: [{ s: 5, t: 'A' }] },
    );
    check(
      { _id: 1, a: [{ s: [{ q: 1 }] }, { s: [] }] },
      { $pull: { a: { s: { $elemMatch: { q: 1 } } } } },
      { _id: 1, a: [{ s: [] }] },
    );
  });
});

describe('positional operators', () => {
  it('$ is the element that the query matched', () => {
    check({ _id: 1, a: [1, 2, 3] }, { $set: { 'a.$': 9 } }, { _id: 1, a: [1, 9, 3] }, { filter: { a: 2 } });
    check(
      {
        _id: 1,
        a: [
          { x: 1, n: 0 },
          { x: 2, n: 0 },
        ],
      },
      { $inc: { 'a.$.n': 1 } },
      {
        _id: 1,
        a: [
          { x: 1, n: 0 },
          { x: 2, n: 1 },
        ],
      },
      { filter: { 'a.x': 2 } },
    );
    check(
      { _id: 1, a: [{ x: 1 }, { x: 5 }] },
      { $set: { 'a.$.y': 1 } },
      { _id: 1, a: [{ x: 1 }, { x: 5, y: 1 }] },
      { filter: { a: { $elemMatch: { x: { $gt: 3 } } } } },
    );
  });

  it('$[] is every element, $[id] those of an array filter', () => {
    check({ _id: 1, a: [1, 2] }, { $inc: { 'a.$[]': 10 } }, { _id: 1, a: [11, 12] });
    check(
      { _id: 1, a: [1, 5, 9] },
      { $set: { 'a.$[e]': 0 } },
      { _id: 1, a: [1, 0, 0] },
      { arrayFilters: [{ e: { $gte: 5 } }] },
    );
    check(
      {
        _id: 1,
        a: [
          {
            b: [
              { c: 1, d: 0 },
              { c: 2, d: 0 },
            ],
          },
        ],
      },
      { $set: { 'a.$[].b.$[x].d': 1 } },
      {
        _id: 1,
        a: [
          {
            b: [
              { c: 1, d: 0 },
              { c: 2, d: 1 },
            ],
          },
        ],
      },
      { arrayFilters: [{ $or: [{ 'x.c': 2 }, { 'x.c': 3 }] }] },
    );
    check(
      { _id: 1, a: [{ x: 1 }, { x: 2 }] },
      { $set: { 'a.$[p].y': 1, 'a.$[q].z': 2 } },
      {
        _id: 1,
        a: [
          { x: 1, y: 1 },
          { x: 2, y: 1, z: 2 },
        ],
      },
      {
        arrayFilters: [{ 'p.x': { $gt: 0 } }, { 'q.x': 2 }],
      },
    );
    check({ _id: 1, a: [1, 2] }, { $unset: { 'a.$[]': 1 } }, { _id: 1, a: [null, null] });
  });
});

describe('replacement and pipeline', () => {
  it('a replacement keeps _id and takes the given order', () => {
    check({ _id: 1, a: 1 }, { b: 1, a: 2 }, { _id: 1, b: 1, a: 2 });
    check({ _id: 1, a: 1 }, { b: 1, _id: 1 }, { _id: 1, b: 1 });
    check({ _id: 1, a: 1 }, {}, { _id: 1 });
  });

  it('a pipeline sees the document', () => {
    check({ _id: 1, a: 2 }, [{ $set: { b: { $multiply: ['$a', 2] } } }, { $unset: 'a' }], { _id: 1, b: 4 });
    check({ _id: 1, a: 2 }, [{ $replaceWith: { b: '$a' } }], { _id: 1, b: 2 });
    check({ _id: 1, a: 2, b: 3 }, [{ $project: { b: 1 } }], { _id: 1, b: 3 });
    check({ _id: 1, a: { x: 1 } }, [{ $addFields: { 'a.y': '$$NOW' } }], { _id: 1, a: { x: 1, y: NOW } });
  });
});

describe('upsertDocument', () => {
  const upsert = (filter: Doc, change: Doc | Doc[]) => upsertDocument(filter, change, { variables }, () => 'made');
  it('begins with the equalities of the filter', () => {
    expect(
      upsert(
        { a: 1, 'b.c': { $eq: 2 }, d: { $gt: 3 }, $and: [{ e: { $in: [5] } }] },
        { $set: { f: 6 }, $setOnInsert: { g: 7 } },
      ),
    ).toStrictEqual({
      _id: 'made',
      a: 1,
      b: { c: 2 },
      e: 5,
      f: 6,
      g: 7,
    });
    expect(upsert({ _id: 9, a: 1 }, { $inc: { n: 1 } })).toStrictEqual({ _id: 9, a: 1, n: 1 });
    expect(Object.keys(upsert({ a: 1, _id: 9 }, { $inc: { n: 1 } }))).toEqual(['_id', 'a', 'n']);
    expect(upsert({ a: /x/ }, { $set: { b: 1 } })).toStrictEqual({ _id: 'made', b: 1 });
    expect(upsert({ a: 1 }, { $unset: { a: 1 } })).toStrictEqual({ _id: 'made' });
    expect(upsert({ a: [1] }, { $push: { a: 2 } })).toStrictEqual({ _id: 'made', a: [1, 2] });
  });

  it('of a replacement takes only the _id', () => {
    expect(upsert({ a: 1 }, { b: 2 })).toStrictEqual({ _id: 'made', b: 2 });
    expect(upsert({ _id: 3, a: 1 }, { b: 2 })).toStrictEqual({ _id: 3, b: 2 });
    expect(upsert({ a: 1 }, { _id: 4, b: 2 })).toStrictEqual({ _id: 4, b: 2 });
  });

  it('of a pipeline runs it on the equalities', () => {
    expect(upsert({ a: 1 }, [{ $set: { b: { $add: ['$a', 1] } } }])).toStrictEqual({ _id: 'made', a: 1, b: 2 });
  });

  it('refuses one path with two values', () => {
    expect(failure(() => upsert({ a: 1, $and: [{ a: 2 }] }, { $set: { b: 1 } })).code).toBe(54);
  });
});

describe('refusals', () => {
  it.each<[Doc, Doc | Doc[], number, string, Options?]>([
    [
      { _id: 1 },
      { $foo: { a: 1 } },
      9,
      'Unknown modifier: $foo. Expected a valid update modifier or pipeline-style update specified as an array',
    ],
    [
      { _id: 1 },
      { $set: 'x' },
      9,
      'Modifiers operate on fields but we found type string instead. For example: {$mod: {<field>: ...}} not {$set: "x"}',
    ],
    [{ _id: 1 }, { $set: { a: 1, 'a.b': 2 } }, 40, "Updating the path 'a.b' would create a conflict at 'a'"],
    [{ _id: 1 }, { $set: { a: 1 }, $inc: { a: 2 } }, 40, "Updating the path 'a' would create a conflict at 'a'"],
    [
      { _id: 1 },
      { $set: { _id: 2 } },
      66,
      "Performing an update on the path '_id' would modify the immutable field '_id'",
    ],
    [
      { _id: 1 },
      { $unset: { _id: 1 } },
      66,
      "Performing an update on the path '_id' would modify the immutable field '_id'",
    ],
    [
      { _id: 1 },
      { _id: 2 },
      66,
      "After applying the update, the (immutable) field '_id' was found to have been altered to _id: 2",
    ],
    [{ _id: 1, a: 5 }, { $set: { 'a.b': 1 } }, 28, "Cannot create field 'b' in element {a: 5}"],
    [{ _id: 1, a: [1] }, { $set: { 'a.b': 1 } }, 28, "Cannot create field 'b' in element {a: [ 1 ]}"],
    [
      { _id: 1, a: 'x' },
      { $inc: { a: 1 } },
      14,
      "Cannot apply $inc to a value of non-numeric type. {_id: 1} has the field 'a' of non-numeric type string",
    ],
    [{ _id: 1 }, { $inc: { a: 'x' } }, 14, 'Cannot increment with non-numeric argument: {a: "x"}'],
    [{ _id: 1 }, { $mul: { a: 'x' } }, 14, 'Cannot multiply with non-numeric argument: {a: "x"}'],
    [
      { _id: 1, a: Long.MAX_VALUE },
      { $inc: { a: 1 } },
      2,
      'Failed to apply $inc operations to current value (9223372036854775807) for document {_id: 1}',
    ],
    [
      { _id: 1, a: 5 },
      { $push: { a: 1 } },
      2,
      "The field 'a' must be an array but is of type int in document {_id: 1}",
    ],
    [
      { _id: 1 },
      { $push: { a: { $each: 1 } } },
      2,
      'The argument to $each in $push must be an array but it was of type: int',
    ],
    [
      { _id: 1, a: 5 },
      { $addToSet: { a: 1 } },
      2,
      "Cannot apply $addToSet to non-array field. Field named 'a' has non-array type int",
    ],
    [{ _id: 1, a: 5 }, { $pop: { a: 1 } }, 14, "Path 'a' contains an element of non-array type 'int'"],
    [{ _id: 1 }, { $pop: { a: 2 } }, 9, '$pop expects 1 or -1, found: 2'],
    [{ _id: 1, a: 5 }, { $pull: { a: 1 } }, 2, 'Cannot apply $pull to a non-array value'],
    [{ _id: 1 }, { $pullAll: { a: 1 } }, 2, '$pullAll requires an array argument but was given a int'],
    [{ _id: 1 }, { $rename: { a: 'a' } }, 2, 'The source and target field for $rename must differ: a: "a"'],
    [
      { _id: 1, a: [{ b: 1 }] },
      { $rename: { 'a.b': 'c' } },
      2,
      "The source field cannot be an array element, 'a.b' in doc with _id: 1 has an array field called 'a'",
    ],
    [
      { _id: 1, a: [1] },
      { $set: { 'a.$': 1 } },
      2,
      'The positional operator did not find the match needed from the query.',
    ],
    [{ _id: 1 }, { $set: { 'a.$[x]': 1 } }, 2, "No array filter found for identifier 'x' in path 'a.$[x]'"],
    [
      { _id: 1 },
      { $set: { a: 1 } },
      9,
      "The array filter for identifier 'x' was not used in the update",
      { arrayFilters: [{ x: 1 }] },
    ],
    [
      { _id: 1 },
      { $set: { 'a.$[]': 1 } },
      2,
      "The path 'a' must exist in the document in order to apply array updates.",
    ],
    [{ _id: 1, a: 1 }, { $set: { 'a.$[]': 1 } }, 2, 'Cannot apply array updates to non-array element a: 1'],
    [{ _id: 1 }, { $set: { '': 1 } }, 56, 'An empty update path is not valid.'],
    [
      { _id: 1 },
      { $set: { 'a..b': 1 } },
      56,
      "The update path 'a..b' contains an empty field name, which is not allowed.",
    ],
    [
      { _id: 1 },
      { a: 1, $set: {} },
      52,
      "The dollar ($) prefixed field '$set' in '$set' is not allowed in the context of an update's replacement document. Consider using an aggregation pipeline with $replaceWith.",
    ],
    [{ _id: 1 }, { a: 1 }, 9, 'multi update is not supported for replacement-style update', { multi: true }],
    [{ _id: 1 }, [{ $match: {} }], 72, '$match is not allowed to be used within an update'],
    [{ _id: 1 }, [{ $foo: {} }], 40324, "Unrecognized pipeline stage name: '$foo'"],
    [
      { _id: 1, a: [] },
      { $set: { 'a.2000000': 1 } },
      120,
      'Cannot backfill array to element 2000000: at most 1500000 elements are added',
    ],
  ])('%j by %j', (doc, change, code, message, options) => {
    expect(failure(() => update(doc, change, options))).toEqual({ code, message });
  });
});

describe('properties', () => {
  const path = fc.constantFrom('a', 'b', 'c', 'a.b', 'b.c', 'a.0');
  const idempotent: fc.Arbitrary<Doc> = fc.oneof(
    fc.tuple(path, value).map(([name, set]): Doc => ({ $set: { [name]: set } })),
    path.map((name): Doc => ({ $unset: { [name]: 1 } })),
    fc.tuple(path, scalar).map(([name, bound]): Doc => ({ $min: { [name]: bound } })),
    fc.tuple(path, scalar).map(([name, bound]): Doc => ({ $max: { [name]: bound } })),
    fc.tuple(path, value).map(([name, item]): Doc => ({ $addToSet: { [name]: item } })),
    fc.tuple(path, scalar).map(([name, item]): Doc => ({ $pull: { [name]: item } })),
    fc.tuple(path, fc.array(value, { maxLength: 2 })).map(([name, items]): Doc => ({ $pullAll: { [name]: items } })),
    document.map((replacement): Doc => replacement),
  );

  it('an idempotent update changes nothing the second time', () => {
    let applied = 0;
    fc.assert(
      fc.property(document, idempotent, (doc, change) => {
        const apply = compileUpdate(change, { variables });
        let once: Doc;
        try {
          once = apply({ _id: 0, ...doc });
        } catch {
          return; // not viable on this document
        }
        applied++;
        expect(apply(once)).toBe(once);
      }),
      { numRuns: 1000 },
    );
    expect(applied).toBeGreaterThan(250);
  });

  it('never changes the document it is given, and gives back another exactly when the bytes differ', () => {
    fc.assert(
      fc.property(document, idempotent, (fields, change) => {
        const doc: Doc = { _id: 0, ...fields };
        const before = Buffer.from(encode(doc));
        let result: BsonValue;
        try {
          result = compileUpdate(change, { variables })(doc);
        } catch {
          return;
        }
        expect(before.equals(encode(doc))).toBe(true);
        expect(result === doc).toBe(before.equals(encode(result as Doc)));
      }),
      { numRuns: 1000 },
    );
  });
});
