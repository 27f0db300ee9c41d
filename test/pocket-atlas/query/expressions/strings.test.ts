import { BSONRegExp, Long } from 'bson';
import { describe, expect, it } from 'vitest';
import type { BsonValue } from '../../../../src/pocket-atlas/bson/values.js';
import { checkAll, evaluate, failure } from '../check.js';

describe('strings', () => {
  it('joins, cuts and measures, in code points', () => {
    checkAll({ s: 'a😀bc', n: null }, [
      [{ $concat: ['x', '$s'] }, 'xa😀bc'],
      [{ $concat: ['x', '$n'] }, null],
      [{ $strLenCP: '$s' }, 4],
      [{ $strLenBytes: '$s' }, 7],
      [{ $substrCP: ['$s', 1, 2] }, '😀b'],
      [{ $substrCP: ['$n', 0, 1] }, ''],
      [{ $substrBytes: ['$s', 1, 4] }, '😀'],
      [{ $substr: ['$s', 5, -1] }, 'bc'],
      [{ $substrBytes: [1234, 1, 2] }, '23'],
      [{ $split: ['a-b--c', '-'] }, ['a', 'b', '', 'c']],
      [{ $split: ['$n', '-'] }, null],
      [{ $toLower: 'AbÇ' }, 'abÇ'],
      [{ $toUpper: 'istanbul' }, 'ISTANBUL'],
      [{ $toLower: '$n' }, ''],
      [{ $toUpper: Long.fromNumber(5) }, '5'],
      [{ $strcasecmp: ['abc', 'ABD'] }, -1],
    ]);
  });

  it('trims white space or what it is told', () => {
    checkAll({}, [
      [{ $trim: { input: ' \t\u00a0x \n' } }, 'x'],
      [{ $ltrim: { input: '--x--', chars: '-' } }, 'x--'],
      [{ $rtrim: { input: '--x😀😀', chars: '😀-' } }, '--x'],
      [{ $trim: { input: null } }, null],
    ]);
  });

  it('finds and replaces', () => {
    checkAll({ s: 'a😀bab' }, [
      [{ $indexOfCP: ['$s', 'b'] }, 2],
      [{ $indexOfBytes: ['$s', 'b'] }, 5],
      [{ $indexOfCP: ['$s', 'b', 3] }, 4],
      [{ $indexOfCP: ['$s', 'b', 0, 2] }, -1],
      [{ $indexOfCP: [null, 'b'] }, null],
      [{ $indexOfCP: ['$s', 'q'] }, -1],
      [{ $replaceOne: { input: 'aXbX', find: 'X', replacement: { $literal: '$&' } } }, 'a$&bX'],
      [{ $replaceAll: { input: 'aXbX', find: 'X', replacement: '-' } }, 'a-b-'],
      [{ $replaceAll: { input: null, find: 'X', replacement: '-' } }, null],
    ]);
  });

  it('searches with regular expressions', () => {
    checkAll({ s: '😀 cafe CAFE', r: new BSONRegExp('cafe', 'i') }, [
      [{ $regexMatch: { input: '$s', regex: '^.\\scafe' } }, true],
      [{ $regexMatch: { input: '$s', regex: 'CAF', options: 'i' } }, true],
      [{ $regexMatch: { input: '$nope', regex: 'x' } }, false],
      [{ $regexFind: { input: '$s', regex: 'c(a)(z)?' } }, { match: 'ca', idx: 2, captures: ['a', null] }],
      [{ $regexFind: { input: '$s', regex: 'zzz' } }, null],
      [
        { $regexFindAll: { input: '$s', regex: '$r' } },
        [
          { match: 'cafe', idx: 2, captures: [] },
          { match: 'CAFE', idx: 7, captures: [] },
        ],
      ],
      [{ $regexFindAll: { input: null, regex: 'x' } }, []],
    ]);
  });

  it.each<[BsonValue, number, string]>([
    [{ $concat: ['x', 1] }, 16702, '$concat only supports strings, not int'],
    [{ $strLenCP: 1 }, 34471, '$strLenCP requires a string argument, found: int'],
    [
      { $split: [1, 'x'] },
      40085,
      '$split requires an expression that evaluates to a string as a first argument, found: int',
    ],
    [{ $split: ['x', ''] }, 40087, '$split requires a non-empty separator'],
    [{ $toLower: true }, 16007, "can't convert from BSON type bool to String"],
    [{ $trim: 'x' }, 50696, '$trim only supports an object as an argument, found string'],
    [{ $trim: { input: 1 } }, 50699, '$trim requires its input to be a string, got int instead.'],
    [{ $indexOfCP: [1, 'x'] }, 40091, '$indexOfCP requires a string as the first argument, found: int'],
    [
      { $replaceOne: { input: 1, find: 'x', replacement: 'y' } },
      51746,
      "$replaceOne requires that 'input' be a string, found: int",
    ],
    [
      { $substrBytes: ['é', 1, 1] },
      28656,
      '$substrBytes:  Invalid range, starting index is a UTF-8 continuation byte.',
    ],
    [{ $regexMatch: { input: 1, regex: 'x' } }, 51104, "$regexMatch needs 'input' to be of type string"],
    [{ $regexMatch: { input: 'x' } }, 31023, "$regexMatch requires 'regex' parameter"],
  ])('refuses %j', (expression, code, message) => {
    expect(failure(() => evaluate(expression))).toEqual({ code, message });
  });

  it('refuses a pattern that is none', () => {
    expect(failure(() => evaluate({ $regexMatch: { input: 'x', regex: '(' } })).code).toBe(51111);
  });
});
