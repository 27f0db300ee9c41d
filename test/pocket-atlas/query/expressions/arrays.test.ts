import { Double, Long } from 'bson';
import { describe, expect, it } from 'vitest';
import type { BsonValue } from '../../../../src/pocket-atlas/bson/values.js';
import { checkAll, evaluate, failure } from '../check.js';

const doc = { a: [1, 2, 3], b: [{ x: 1 }, { x: 2 }], e: [] as BsonValue[], n: null };

describe('arrays', () => {
  it('takes parts', () => {
    checkAll(doc, [
      [{ $arrayElemAt: ['$a', 0] }, 1],
      [{ $arrayElemAt: ['$a', -1] }, 3],
      [{ $arrayElemAt: ['$a', 9] }, undefined],
      [{ $arrayElemAt: ['$n', 0] }, null],
      [{ $first: '$a' }, 1],
      [{ $last: '$a' }, 3],
      [{ $first: '$e' }, undefined],
      [{ $slice: ['$a', 2] }, [1, 2]],
      [{ $slice: ['$a', -2] }, [2, 3]],
      [{ $slice: ['$a', 1, 1] }, [2]],
      [{ $slice: ['$a', -9, 2] }, [1, 2]],
      [{ $firstN: { input: '$a', n: 2 } }, [1, 2]],
      [{ $lastN: { input: '$a', n: 2 } }, [2, 3]],
      [{ $maxN: { input: '$a', n: 2 } }, [3, 2]],
      [{ $minN: { input: '$a', n: 2 } }, [1, 2]],
    ]);
  });

  it('asks', () => {
    checkAll(doc, [
      [{ $size: '$a' }, 3],
      [{ $isArray: '$a' }, true],
      [{ $isArray: ['$n'] }, false],
      [{ $in: [new Double(2), '$a'] }, true],
      [{ $in: [9, '$a'] }, false],
      [{ $indexOfArray: ['$a', 2] }, 1],
      [{ $indexOfArray: ['$a', 2, 2] }, -1],
      [{ $indexOfArray: ['$n', 2] }, null],
    ]);
  });

  it('searches long constant arrays too', () => {
    const wanted = Array.from({ length: 40 }, (_, i) => i);
    for (const [value, expected] of [
      [39, true],
      [40, false],
      [5, true],
    ] as const) {
      expect(evaluate({ $in: ['$v', wanted] }, { v: value })).toBe(expected);
    }
  });

  it('makes arrays', () => {
    checkAll(doc, [
      [{ $concatArrays: ['$a', [4]] }, [1, 2, 3, 4]],
      [{ $concatArrays: ['$a', '$n'] }, null],
      [{ $reverseArray: '$a' }, [3, 2, 1]],
      [{ $range: [0, 10, 4] }, [0, 4, 8]],
      [{ $range: [3, 0, -1] }, [3, 2, 1]],
      [{ $range: [0, 3] }, [0, 1, 2]],
      [{ $range: [3, 0] }, []],
      [{ $zip: { inputs: ['$a', ['x']] } }, [[1, 'x']]],
      [
        { $zip: { inputs: ['$a', ['x']], useLongestLength: true, defaults: [0, 'z'] } },
        [
          [1, 'x'],
          [2, 'z'],
          [3, 'z'],
        ],
      ],
      [{ $sortArray: { input: [3, 1, 'x', null], sortBy: 1 } }, [null, 1, 3, 'x']],
      [{ $sortArray: { input: '$b', sortBy: { x: -1 } } }, [{ x: 2 }, { x: 1 }]],
    ]);
  });

  it('runs a body per element', () => {
    checkAll(doc, [
      [{ $map: { input: '$a', as: 'v', in: { $multiply: ['$$v', 2] } } }, [2, 4, 6]],
      [{ $map: { input: '$b', in: '$$this.x' } }, [1, 2]],
      [{ $map: { input: '$a', in: '$nope' } }, [null, null, null]],
      [{ $map: { input: '$n', in: 1 } }, null],
      [{ $filter: { input: '$a', as: 'v', cond: { $gt: ['$$v', 1] } } }, [2, 3]],
      [{ $filter: { input: '$a', cond: { $gt: ['$$this', 1] }, limit: 1 } }, [2]],
      [{ $reduce: { input: '$a', initialValue: 0, in: { $add: ['$$value', '$$this'] } } }, 6],
      [{ $reduce: { input: ['a', 'b'], initialValue: '', in: { $concat: ['$$value', '$$this'] } } }, 'ab'],
      [
        { $map: { input: '$a', as: 'v', in: { $map: { input: '$a', as: 'w', in: { $add: ['$$v', '$$w'] } } } } },
        [
          [2, 3, 4],
          [3, 4, 5],
          [4, 5, 6],
        ],
      ],
    ]);
  });

  it('bounds what one evaluation may cost', () => {
    const range = { $range: [0, 1000] };
    const nest = (depth: number): BsonValue => (depth === 0 ? 1 : { $map: { input: range, in: nest(depth - 1) } });
    expect(failure(() => evaluate(nest(3)))).toMatchObject({
      code: 2,
      message: expect.stringContaining('5000000 array elements'),
    });
    expect(evaluate({ $size: nest(2) })).toBe(1000);
  });

  it('totals arrays and operands', () => {
    checkAll(doc, [
      [{ $sum: '$a' }, 6],
      [{ $sum: [1, 2.5, 'x', null] }, 3.5],
      [{ $sum: [['no'], 1] }, 1],
      [{ $avg: '$a' }, new Double(2)],
      [{ $avg: '$e' }, null],
      [{ $min: ['$a', 0] }, 0],
      [{ $max: '$a' }, 3],
      [{ $max: '$e' }, null],
      [{ $stdDevPop: '$a' }, Math.sqrt(2 / 3)],
      [{ $stdDevSamp: '$a' }, new Double(1)],
      [{ $stdDevSamp: [1] }, null],
      [{ $sum: [Long.fromString('9007199254740993'), 1] }, Long.fromString('9007199254740994')],
    ]);
  });

  it('treats arrays as sets', () => {
    checkAll({}, [
      [
        {
          $setUnion: [
            [3, 1],
            [1, new Double(3), 2],
          ],
        },
        [1, 2, 3],
      ],
      [
        {
          $setIntersection: [
            [3, 1, 1],
            [1, 3, 4],
          ],
        },
        [1, 3],
      ],
      [{ $setDifference: [[3, 1, 3, 2], [2]] }, [3, 1]],
      [
        {
          $setEquals: [
            [1, 2, 2],
            [2, 1],
          ],
        },
        true,
      ],
      [{ $setIsSubset: [[1], [1, 2]] }, true],
      [{ $anyElementTrue: [[0, false, 1]] }, true],
      [{ $allElementsTrue: [[]] }, true],
      [{ $setUnion: [[1], null] }, null],
    ]);
  });

  it.each<[BsonValue, number, string]>([
    [{ $size: 'x' }, 17124, 'The argument to $size must be an array, but was of type: string'],
    [{ $size: '$nope' }, 17124, 'The argument to $size must be an array, but was of type: missing'],
    [{ $arrayElemAt: ['x', 0] }, 28689, "$arrayElemAt's first argument must be an array, but is string"],
    [{ $in: [1, 2] }, 40081, '$in requires an array as a second argument, found: int'],
    [{ $concatArrays: [1] }, 28664, '$concatArrays only supports arrays, not int'],
    [{ $range: [0, 1, 0] }, 34449, '$range requires a non-zero step value'],
    [{ $range: [0, 1e9] }, 146, '$range would make 1000000000 elements, more than 1000000'],
    [{ $map: { input: 1, in: 1 } }, 16883, 'input to $map must be an array not int'],
    [{ $map: { input: [1] } }, 16882, "Missing 'in' parameter to $map"],
    [{ $filter: { input: 1, cond: 1 } }, 28651, 'input to $filter must be an array not int'],
    [{ $reduce: { input: 1, initialValue: 0, in: 1 } }, 40080, "$reduce requires that 'input' be an array, found: int"],
    [{ $setUnion: [1] }, 17043, 'All operands of $setUnion must be arrays. One argument is of type: int'],
    [{ $slice: [1, 2] }, 28724, 'First argument to $slice must be an array, but is of type: int'],
  ])('refuses %j', (expression, code, message) => {
    expect(failure(() => evaluate(expression))).toEqual({ code, message });
  });
});

describe('objects', () => {
  it('merges, takes apart and puts together', () => {
    const odd = { 'a.b': 1, $c: 2 };
    checkAll({ o: { x: 1, y: 2 }, odd, n: null }, [
      [{ $mergeObjects: ['$o', { y: 3, z: 4 }, null] }, { x: 1, y: 3, z: 4 }],
      [{ $mergeObjects: [] }, {}],
      [
        { $objectToArray: '$o' },
        [
          { k: 'x', v: 1 },
          { k: 'y', v: 2 },
        ],
      ],
      [{ $arrayToObject: [[{ k: 'x', v: 1 }]] }, { x: 1 }],
      [
        {
          $arrayToObject: {
            $literal: [
              ['x', 1],
              ['y', 2],
            ],
          },
        },
        { x: 1, y: 2 },
      ],
      [{ $arrayToObject: '$n' }, null],
      [{ $getField: 'o' }, { x: 1, y: 2 }],
      [{ $getField: { field: 'a.b', input: '$odd' } }, 1],
      [{ $getField: { field: { $literal: '$c' }, input: '$odd' } }, 2],
      [{ $getField: { field: 'q', input: '$o' } }, undefined],
      [{ $setField: { field: 'a.b', input: '$odd', value: 9 } }, { 'a.b': 9, $c: 2 }],
      [{ $setField: { field: 'x', input: '$o', value: '$$REMOVE' } }, { y: 2 }],
      [{ $unsetField: { field: 'x', input: '$o' } }, { y: 2 }],
      [{ $setField: { field: 'x', input: '$n', value: 1 } }, null],
    ]);
  });

  it.each<[BsonValue, number, string]>([
    [{ $mergeObjects: [1] }, 40400, '$mergeObjects requires object inputs, but input is of type int'],
    [{ $objectToArray: 1 }, 40390, '$objectToArray requires a document input, found: int'],
    [{ $arrayToObject: 1 }, 40386, '$arrayToObject requires an array input, found: int'],
  ])('refuses %j', (expression, code, message) => {
    expect(failure(() => evaluate(expression))).toEqual({ code, message });
  });
});
