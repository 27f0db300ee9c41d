import { Binary, BSONRegExp, Decimal128, Double, Long, MaxKey, MinKey, ObjectId, Timestamp } from 'bson';
import { describe, expect, it } from 'vitest';
import type { Doc } from '../../../src/pocket-atlas/bson/values.js';
import { compileFilter, matchedIndex } from '../../../src/pocket-atlas/query/filter.js';
import { failure, variables } from './check.js';

function matches(filter: Doc, doc: Doc): boolean {
  return compileFilter(filter, variables)(doc);
}

/** Documents that match and that do not, per filter. */
type Row = readonly [filter: Doc, matching: readonly Doc[], others: readonly Doc[]];

function checkRows(rows: readonly Row[]): void {
  for (const [filter, matching, others] of rows) {
    for (const doc of matching)
      expect(matches(filter, doc), `${JSON.stringify(filter)} on ${JSON.stringify(doc)}`).toBe(true);
    for (const doc of others)
      expect(matches(filter, doc), `${JSON.stringify(filter)} on ${JSON.stringify(doc)}`).toBe(false);
  }
}

describe('comparison', () => {
  it('compares numbers by value, whatever their types', () => {
    checkRows([
      [
        { a: 1 },
        [{ a: 1 }, { a: new Double(1) }, { a: Long.fromNumber(1) }, { a: Decimal128.fromString('1.0') }],
        [{ a: 2 }, { a: '1' }, { a: true }],
      ],
      [
        { a: Long.fromString('9007199254740993') },
        [{ a: Long.fromString('9007199254740993') }],
        [{ a: Long.fromString('9007199254740992') }, { a: 9007199254740992 }],
      ],
      [
        { a: { $gt: Decimal128.fromString('0.1') } },
        [{ a: 0.2 }, { a: 1 }],
        [{ a: Decimal128.fromString('0.1') }, { a: 'x' }],
      ],
      [{ a: 0 }, [{ a: -0 }], []],
      [{ a: Number.NaN }, [{ a: Number.NaN }], [{ a: 1 }, {}]],
      [{ a: { $lt: Number.NaN } }, [], [{ a: 1 }, { a: Number.NaN }]],
      [{ a: { $lte: Number.NaN } }, [{ a: Number.NaN }], [{ a: 1 }]],
      [{ a: { $lt: 5 } }, [{ a: 4 }], [{ a: Number.NaN }]],
    ]);
  });

  it('orders within a type only', () => {
    checkRows([
      [{ a: { $gt: 1 } }, [{ a: 2 }], [{ a: 'x' }, { a: null }, {}, { a: { b: 1 } }]],
      [{ a: { $gte: 'b' } }, [{ a: 'b' }, { a: 'é' }], [{ a: 'B' }, { a: 3 }]],
      [
        { a: { $lt: new Date(1) } },
        [{ a: new Date(0) }],
        [{ a: new Date(1) }, { a: 0 }, { a: new Timestamp({ t: 0, i: 0 }) }],
      ],
      [{ a: { $gt: { b: 1 } } }, [{ a: { b: 2 } }], [{ a: { b: 1 } }, { a: 5 }]],
      [{ a: { $gt: false } }, [{ a: true }], [{ a: 1 }]],
      [{ a: { $gt: new MinKey() } }, [{ a: 1 }, { a: 'x' }, { a: null }], [{ a: new MinKey() }, {}]],
      [{ a: { $lt: new MaxKey() } }, [{ a: 1 }], [{ a: new MaxKey() }]],
    ]);
  });

  it('sees one millisecond (A28)', () => {
    checkRows([[{ a: { $lt: new Date(1001) } }, [{ a: new Date(1000) }], [{ a: new Date(1001) }]]]);
  });

  it('takes null for missing too', () => {
    checkRows([
      [{ a: null }, [{}, { a: null }, { a: [1, null] }], [{ a: 0 }, { a: [] }, { a: false }]],
      [{ a: { $ne: null } }, [{ a: 0 }], [{}, { a: null }]],
      [{ a: { $gte: null } }, [{}, { a: null }], [{ a: 0 }]],
      [{ a: { $gt: null } }, [], [{}, { a: null }, { a: 1 }]],
      [{ 'a.b': null }, [{}, { a: 5 }, { a: {} }, { a: [{ b: 1 }, {}] }], [{ a: [] }, { a: [1, 2] }, { a: { b: 1 } }]],
      [{ a: { $in: [null, 1] } }, [{}, { a: 1 }], [{ a: 2 }]],
    ]);
  });

  it('compares documents with their field order and arrays as a whole or by element', () => {
    checkRows([
      [
        { a: { x: 1, y: 2 } },
        [{ a: { x: 1, y: 2 } }, { a: [{ x: 1, y: 2 }] }],
        [{ a: { y: 2, x: 1 } }, { a: { x: 1 } }],
      ],
      [{ a: [1, 2] }, [{ a: [1, 2] }, { a: [[1, 2], 3] }], [{ a: [2, 1] }, { a: [1, 2, 3] }, { a: 1 }]],
      [{ a: 2 }, [{ a: [1, 2] }], [{ a: [[2]] }]],
      [{ a: {} }, [{ a: {} }], [{ a: { b: 1 } }]],
      [{ a: { $gt: 1, $lt: 3 } }, [{ a: 2 }, { a: [0, 5] }], [{ a: [0, 1] }]],
    ]);
  });

  it('compares object ids and binaries by their bytes', () => {
    const id = '0123456789abcdef01234567';
    checkRows([
      [{ _id: new ObjectId(id) }, [{ _id: new ObjectId(id) }], [{ _id: id }]],
      [
        { a: new Binary(Buffer.from('x')) },
        [{ a: new Binary(Buffer.from('x')) }],
        [{ a: new Binary(Buffer.from('x'), 5) }, { a: 'x' }],
      ],
    ]);
  });

  it('reads fields named like members of Object as fields (A20)', () => {
    const proto: Doc = {};
    Object.defineProperty(proto, '__proto__', { value: 1, enumerable: true });
    checkRows([
      [{ constructor: null }, [{}], [{ constructor: 1 }]],
      [{ toString: { $exists: true } }, [{ toString: 1 }], [{}]],
      [JSON.parse('{"__proto__": 1}'), [proto], [{}]],
    ]);
  });
});

describe('paths', () => {
  it('walks through arrays of documents', () => {
    checkRows([
      [{ 'a.b': 1 }, [{ a: { b: 1 } }, { a: [{ b: 1 }] }, { a: [{ b: [2, 1] }] }], [{ a: [[{ b: 1 }]] }, { a: [1] }]],
      [{ 'a.b': { $exists: true } }, [{ a: [{ b: 1 }] }, { a: [{}, { b: null }] }], [{ a: [{}] }, { a: [] }]],
      [{ 'a.b': { $ne: 1 } }, [{ a: [{ b: 2 }] }, {}], [{ a: [{ b: 2 }, { b: 1 }] }]],
    ]);
  });

  // Facts of the server's public test match_numeric_components.js, in documents of our own order.
  const nested: Doc[] = [
    { a: 42 },
    { a: [42] },
    { a: { 0: 42 } },
    { a: [[42]] },
    { a: [{ 0: 42 }] },
    { a: { 0: [42] } },
    { a: { 0: { 0: 42 } } },
    { a: [[[42]]] },
    { a: [[{ 0: 42 }]] },
    { a: [{ 0: [42] }] },
    { a: [{ 0: { 0: 42 } }] },
    { a: { 0: [[42]] } },
    { a: { 0: [{ 0: 42 }] } },
    { a: { 0: { 0: [42] } } },
  ];
  it.each<[string, Doc, number[]]>([
    ['a number names an element or a field', { 'a.0': 42 }, [1, 2, 4, 5, 9]],
    ['two numbers go one level deeper', { 'a.0.0': 42 }, [3, 4, 5, 6, 8, 9, 10, 12, 13]],
    ['and so with order', { 'a.0': { $gt: 41 } }, [1, 2, 4, 5, 9]],
    ['and with $all of $elemMatch', { 'a.0': { $all: [{ $elemMatch: { 0: 42 } }] } }, [7, 8, 11, 12]],
  ])('%s', (_claim, filter, expected) => {
    expect(nested.flatMap((doc, at) => (matches(filter, doc) ? [at] : []))).toEqual(expected);
  });

  it('tries both an element and its own numeric field', () => {
    checkRows([
      [{ 'a.1': 4 }, [{ a: [{ 1: 4 }, 5] }], []],
      [{ 'a.1.foo': 5 }, [{ a: [{ 1: { foo: 4 } }, { foo: 5 }] }], []],
      [{ 'a.1.foo': { $exists: true } }, [{ a: [{ 1: { foo: 4 } }, {}] }], []],
    ]);
  });
});

describe('operators on fields', () => {
  it('$in and $nin take values, patterns and null', () => {
    checkRows([
      [{ a: { $in: [1, 'x', /^b/] } }, [{ a: new Double(1) }, { a: ['q', 'x'] }, { a: 'bc' }], [{ a: 'ab' }, {}]],
      [{ a: { $in: [] } }, [], [{}, { a: 1 }]],
      [{ a: { $nin: [1, null] } }, [{ a: 2 }], [{ a: 1 }, {}, { a: [1, 5] }]],
      [{ a: { $in: [[1, 2]] } }, [{ a: [1, 2] }], [{ a: 1 }]],
      [{ a: { $in: [Long.fromNumber(7), { b: 1 }] } }, [{ a: 7 }, { a: { b: new Double(1) } }], [{ a: { b: 2 } }]],
    ]);
  });

  it('$not, $exists, $type, $size, $mod', () => {
    checkRows([
      [{ a: { $not: { $gt: 5 } } }, [{ a: 5 }, {}, { a: 'x' }], [{ a: 6 }, { a: [1, 6] }]],
      [{ a: { $not: /^x/ } }, [{ a: 'y' }, {}], [{ a: 'xy' }]],
      [{ a: { $exists: false } }, [{}], [{ a: null }]],
      [{ a: { $exists: 1 } }, [{ a: null }], [{}]],
      [{ a: { $type: 'number' } }, [{ a: 1 }, { a: Long.ONE }, { a: [1, 'x'] }], [{ a: '1' }, {}]],
      [{ a: { $type: 'objectId' } }, [{ a: new ObjectId() }], [{ a: 'x' }]],
      [{ a: { $type: 'array' } }, [{ a: [] }, { a: [[]] }], [{ a: 1 }]],
      [{ a: { $type: [2, 'double'] } }, [{ a: 'x' }, { a: 1.5 }, { a: new Double(1) }], [{ a: 1 }]],
      [{ a: { $type: -1 } }, [{ a: new MinKey() }], [{ a: 1 }]],
      [{ a: { $size: 2 } }, [{ a: [1, [2]] }], [{ a: [1] }, { a: 2 }, {}]],
      [{ a: { $size: new Double(0) } }, [{ a: [] }], [{ a: [1] }]],
      [
        { a: { $mod: [4, 1] } },
        [{ a: 5 }, { a: 5.9 }, { a: Long.fromNumber(9) }, { a: Decimal128.fromString('5') }],
        [{ a: 4 }, { a: 'x' }, { a: Number.NaN }],
      ],
      [{ a: { $mod: [4, -1] } }, [{ a: -5 }], [{ a: 5 }]],
    ]);
  });

  it('$regex with its options', () => {
    checkRows([
      [{ a: { $regex: '^ab' } }, [{ a: 'abc' }, { a: ['x', 'ab'] }], [{ a: 'ABC' }, { a: 1 }]],
      [{ a: { $regex: '^ab', $options: 'i' } }, [{ a: 'ABC' }], []],
      [{ a: { $regex: '^b', $options: 'm' } }, [{ a: 'a\nb' }], []],
      [{ a: { $regex: 'a.b', $options: 's' } }, [{ a: 'a\nb' }], []],
      [{ a: { $regex: 'a b # comment', $options: 'x' } }, [{ a: 'ab' }], [{ a: 'a b' }]],
      [{ a: { $regex: '(?i)ab' } }, [{ a: 'AB' }], []],
      [{ a: { $regex: /^AB/i } }, [{ a: 'abc' }], []],
      [
        { a: new BSONRegExp('^ab', 'i') },
        [{ a: 'ABC' }, { a: new BSONRegExp('^ab', 'i') }],
        [{ a: new BSONRegExp('^ab') }],
      ],
      [{ a: { $regex: '^.$' } }, [{ a: '😀' }], []],
      [{ a: { $regex: 'a\\_b' } }, [{ a: 'a_b' }], []],
    ]);
  });

  it('$all and $elemMatch', () => {
    checkRows([
      [{ a: { $all: [1, 2] } }, [{ a: [2, 3, 1] }], [{ a: [1] }, { a: 1 }]],
      [{ a: { $all: [1] } }, [{ a: 1 }], []],
      [{ a: { $all: [] } }, [], [{ a: [] }, {}]],
      [{ a: { $all: [[1, 2]] } }, [{ a: [1, 2] }, { a: [[1, 2]] }], [{ a: [2, 1] }]],
      [{ a: { $all: [/^x/, 'y'] } }, [{ a: ['y', 'xz'] }], [{ a: ['y'] }]],
      [{ a: { $elemMatch: { $gt: 1, $lt: 3 } } }, [{ a: [0, 2] }], [{ a: [0, 5] }, { a: 2 }, { a: [[2]] }]],
      [
        { a: { $elemMatch: { b: 1, c: 2 } } },
        [{ a: [{ b: 1, c: 2 }] }],
        [{ a: [{ b: 1 }, { c: 2 }] }, { a: { b: 1, c: 2 } }],
      ],
      [{ a: { $elemMatch: { $or: [{ b: 1 }, { c: 1 }] } } }, [{ a: [{ c: 1 }] }], [{ a: [1] }]],
      [{ a: { $elemMatch: { $not: { $gt: 1 } } } }, [{ a: [1] }], [{ a: [2] }, { a: [] }]],
      [{ a: { $elemMatch: { $in: ['x'] } } }, [{ a: ['x'] }], [{ a: ['y'] }]],
      [{ 'a.b': { $elemMatch: { c: 1 } } }, [{ a: [{ b: [{ c: 1 }] }] }], [{ a: [{ b: { c: 1 } }] }]],
    ]);
  });

  it('bits of numbers and of binary data', () => {
    checkRows([
      [{ a: { $bitsAllSet: 6 } }, [{ a: 7 }, { a: Long.fromNumber(-2) }], [{ a: 5 }, { a: 6.5 }, { a: 'x' }]],
      [{ a: { $bitsAllSet: [1, 2] } }, [{ a: 6 }], [{ a: 2 }]],
      [{ a: { $bitsAnySet: 6 } }, [{ a: 2 }], [{ a: 1 }]],
      [{ a: { $bitsAllClear: [0, 3] } }, [{ a: 6 }], [{ a: 8 }]],
      [{ a: { $bitsAnyClear: 3 } }, [{ a: 1 }], [{ a: 3 }]],
      [{ a: { $bitsAllSet: [70] } }, [{ a: -1 }], [{ a: 1 }]],
      [
        { a: { $bitsAllSet: new Binary(Buffer.from([0, 1])) } },
        [{ a: 256 }, { a: new Binary(Buffer.from([0, 3])) }],
        [{ a: 1 }],
      ],
    ]);
  });
});

describe('logic', () => {
  it('$and, $or, $nor, $expr, $comment', () => {
    checkRows([
      [{ $and: [{ a: 1 }, { b: 2 }] }, [{ a: 1, b: 2 }], [{ a: 1 }]],
      [{ $or: [{ a: 1 }, { b: 2 }] }, [{ b: 2 }], [{}]],
      [{ $nor: [{ a: 1 }, { b: 2 }] }, [{}], [{ b: 2 }]],
      [{ $expr: { $gt: ['$a', '$b'] } }, [{ a: 2, b: 1 }], [{ a: 1, b: 2 }]],
      [{ a: 1, $comment: 'why' }, [{ a: 1 }], [{}]],
      [{}, [{}, { a: 1 }], []],
    ]);
  });

  it('reads variables of the command in $expr', () => {
    const filter = compileFilter({ $expr: { $eq: ['$a', '$$wanted'] } }, { now: new Date(0), vars: { wanted: 3 } });
    expect([filter({ a: 3 }), filter({ a: 4 })]).toEqual([true, false]);
  });
});

describe('refusals', () => {
  it.each<[Doc, number, string]>([
    [{ a: { $foo: 1 } }, 2, 'unknown operator: $foo'],
    [
      { $foo: 1 },
      2,
      "unknown top level operator: $foo. If you have a field name that starts with a '$' symbol, consider using $getField or $setField.",
    ],
    [{ a: { $gt: 1, b: 2 } }, 2, 'unknown operator: b'],
    [{ $and: {} }, 2, '$and must be an array'],
    [{ $or: [] }, 2, '$and/$or/$nor must be a nonempty array'],
    [{ $nor: [1] }, 2, '$or/$and/$nor entries need to be full objects'],
    [{ a: { $in: 1 } }, 2, '$in needs an array'],
    [{ a: { $in: [{ $gt: 1 }] } }, 2, 'cannot nest $ under $in'],
    [{ a: { $not: 1 } }, 2, '$not needs a regex or a document'],
    [{ a: { $not: {} } }, 2, '$not cannot be empty'],
    [{ a: { $size: -1 } }, 2, 'Failed to parse $size. Expected a non-negative number in: $size: -1'],
    [{ a: { $elemMatch: 1 } }, 2, '$elemMatch needs an Object'],
    [{ a: { $all: 1 } }, 2, '$all needs an array'],
    [{ a: { $mod: [0, 1] } }, 2, 'divisor cannot be 0'],
    [{ a: { $mod: [1] } }, 2, 'malformed mod, not enough elements'],
    [{ a: { $type: 'foo' } }, 2, 'Unknown type name alias: foo'],
    [{ a: { $regex: 1 } }, 2, '$regex has to be a string'],
    [{ a: { $options: 'i' } }, 2, '$options needs a $regex'],
    [{ a: { $regex: 'a', $options: 'z' } }, 51108, 'invalid flag in regex options: z'],
    [{ a: { $gt: /x/ } }, 2, "Can't have RegEx as arg to predicate over field 'a'."],
    [{ a: { $ne: /x/ } }, 2, "Can't have regex as arg to $ne."],
    [{ $text: { $search: 'x' } }, 27, 'text index required for $text query'],
    [{ $expr: { $foo: 1 } }, 168, "Unrecognized expression '$foo'"],
    [{ $expr: '$$nope' }, 17276, 'Use of undefined variable: nope'],
  ])('%j', (filter, code, message) => {
    expect(failure(() => compileFilter(filter, variables))).toEqual({ code, message });
  });

  it('bounds patterns in length and filters in depth', () => {
    expect(failure(() => compileFilter({ a: { $regex: 'a'.repeat(32_765) } }, variables)).code).toBe(51091);
    expect(failure(() => compileFilter({ a: { $regex: '(' } }, variables)).code).toBe(51091);
    let filter: Doc = { a: 1 };
    for (let depth = 0; depth < 200; depth++) filter = { $and: [filter] };
    expect(failure(() => compileFilter(filter, variables)).code).toBe(2);
  });
});

describe('matchedIndex', () => {
  it.each<[Doc, Doc, number | undefined]>([
    [{ a: 2 }, { a: [1, 2, 2] }, 1],
    [{ 'a.b': 2 }, { a: [{ b: 1 }, { b: 2 }] }, 1],
    [{ a: { $elemMatch: { b: 2 } } }, { a: [{ b: 1 }, { b: 2 }] }, 1],
    [{ 'a.b': 9 }, { a: [{ b: [1] }, { b: [2, 9] }] }, 1],
    [{ a: 1 }, { a: 1 }, undefined],
    [{ a: 5 }, { a: [1] }, undefined],
  ])('%j on %j', (filter, doc, expected) => {
    expect(matchedIndex(compileFilter(filter, variables), doc)).toBe(expected);
  });
});
