// biome-ignore-all lint/suspicious/noThenProperty: so $cond and $switch name it
import { Double, Long } from 'bson';
import { describe, expect, it } from 'vitest';
import { type BsonValue, setMeta } from '../../../../src/pocket-atlas/bson/values.js';
import { compileExpression } from '../../../../src/pocket-atlas/query/expression.js';
import { checkAll, evaluate, failure, NOW, variables } from '../check.js';

describe('values and paths', () => {
  it('reads fields through arrays, and does not index them', () => {
    checkAll({ a: { b: 1 }, c: [{ d: 1 }, { d: 2 }, { e: 3 }, 4, [{ d: 5 }]], s: 'x' }, [
      ['$a.b', 1],
      ['$c.d', [1, 2]],
      ['$c.0', []],
      ['$s.t', undefined],
      ['$nope', undefined],
      [
        { x: '$a.b', y: '$nope', z: 3 },
        { x: 1, z: 3 },
      ],
      [
        ['$a.b', '$nope'],
        [1, null],
      ],
      ['text', 'text'],
      [{ $literal: '$a' }, '$a'],
      ['$$ROOT.s', 'x'],
      ['$$CURRENT.s', 'x'],
      ['$$NOW', NOW],
      ['$$REMOVE', undefined],
    ]);
  });

  it('compares over all types', () => {
    checkAll({ n: 1, d: new Double(1), s: 'a', z: null }, [
      [{ $eq: ['$n', '$d'] }, true],
      [{ $gt: ['$s', '$n'] }, true],
      [{ $lt: ['$nope', '$z'] }, true],
      [{ $eq: ['$nope', '$z'] }, false],
      [{ $cmp: ['$s', 'b'] }, -1],
      [{ $cmp: ['$n', '$d'] }, 0],
      [{ $gte: [[1, 2], [1]] }, true],
      [{ $ne: [{ a: 1 }, { a: Long.ONE }] }, false],
    ]);
  });

  it('decides', () => {
    checkAll({ n: 5, z: 0 }, [
      [{ $and: ['$n', true] }, true],
      [{ $and: [] }, true],
      [{ $or: ['$z', null, '$nope'] }, false],
      [{ $not: '$z' }, true],
      [{ $not: [''] }, false],
      [{ $cond: [{ $gt: ['$n', 3] }, 'many', 'few'] }, 'many'],
      [{ $cond: { if: '$z', then: 1, else: 2 } }, 2],
      [{ $ifNull: ['$nope', null, 7] }, 7],
      [{ $ifNull: ['$nope', '$nope'] }, undefined],
      [
        {
          $switch: {
            branches: [
              { case: '$z', then: 1 },
              { case: '$n', then: 2 },
            ],
            default: 3,
          },
        },
        2,
      ],
      [{ $switch: { branches: [{ case: '$z', then: 1 }], default: 3 } }, 3],
      [{ $let: { vars: { a: 1, b: { $add: ['$n', 1] } }, in: { $add: ['$$a', '$$b'] } } }, 7],
      [{ $let: { vars: { a: { x: [{ y: 1 }] } }, in: '$$a.x.y' } }, [1]],
      [{ $let: { vars: { a: 1 }, in: { $let: { vars: { a: 2, b: '$$a' }, in: ['$$a', '$$b'] } } } }, [2, 1]],
    ]);
  });

  it('does not evaluate what a decision leaves out', () => {
    expect(evaluate({ $cond: [true, 1, { $divide: [1, 0] }] })).toBe(1);
    expect(evaluate({ $or: [true, { $divide: [1, 0] }] })).toBe(true);
  });

  it('reads metadata of the document, whatever is its root', () => {
    const doc = setMeta({ a: 1 }, { vectorSearchScore: 0.5 });
    const read = (name: string) => compileExpression({ $meta: name }, variables)(doc);
    expect([read('vectorSearchScore'), read('score'), read('searchScore')]).toEqual([0.5, 0.5, undefined]);
  });

  it('reads what a search says about all its hits', () => {
    const doc = setMeta({ a: 1 }, { searchMeta: { count: { total: 5 } } });
    const read = (path: string) => compileExpression(path, variables)(doc);
    expect([read('$$SEARCH_META.count.total'), read('$$SEARCH_META')]).toEqual([5, { count: { total: 5 } }]);
    expect(evaluate('$$SEARCH_META')).toBeUndefined();
  });

  it('draws a number below one', () => {
    const drawn = evaluate({ $rand: {} }) as number;
    expect(drawn >= 0 && drawn < 1).toBe(true);
  });

  it.each<[BsonValue, number, string]>([
    [{ $nope: 1 }, 168, "Unrecognized expression '$nope'"],
    [{ $constructor: 1 }, 168, "Unrecognized expression '$constructor'"],
    [
      { $add: 1, $subtract: 2 },
      15983,
      'An object representing an expression must have exactly one field: { $add: 1, $subtract: 2 }',
    ],
    ['$$nope', 17276, 'Use of undefined variable: nope'],
    ['$', 16872, "'$' by itself is not a valid FieldPath"],
    ['$a.', 40353, "FieldPath must not end with a '.'."],
    ['$a..b', 15998, 'FieldPath field names may not be empty strings.'],
    [{ $let: { vars: { A: 1 }, in: 1 } }, 16867, "'A' starts with an invalid character for a user variable name"],
    [{ $cond: { if: 1, then: 2 } }, 17082, "Missing 'else' parameter to $cond"],
    [
      { $switch: { branches: [{ case: false, then: 1 }] } },
      40066,
      '$switch could not find a matching branch for an input, and no default was specified.',
    ],
    [{ $meta: 'nope' }, 17308, 'Unsupported argument to $meta: nope'],
  ])('refuses %j', (expression, code, message) => {
    expect(failure(() => evaluate(expression))).toEqual({ code, message });
  });

  it('bounds nesting', () => {
    let expression: BsonValue = 1;
    for (let depth = 0; depth < 300; depth++) expression = { $abs: expression };
    expect(failure(() => evaluate(expression)).code).toBe(2);
  });
});
