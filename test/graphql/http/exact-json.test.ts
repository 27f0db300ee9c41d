import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../../src/errors.js';
import { holdsBigInt, parseExactJson } from '../../../src/graphql/http/exact-json.js';
import { LIMITS } from '../../../src/graphql/limits.js';

test('agrees with JSON.parse where integers are exact', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      const text = JSON.stringify(value);
      expect(parseExactJson(text)).toEqual(asRead(JSON.parse(text)));
    }),
  );
});

test('finds every unsafe integer and nothing else, wherever it stands', () => {
  const leaf = fc.oneof(
    fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }).map(exactOrBig),
    fc.string({ unit: 'binary' }),
    fc.stringMatching(/^"*\\*\d{16,20}$/),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => (Object.is(n, -0) ? 0 : n)),
    fc.boolean(),
    fc.constant(null),
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 4 }, leaf, fc.array(tie('value')), fc.dictionary(fc.string(), tie('value'))),
  }));
  fc.assert(
    fc.property(value, (tree) => {
      expect(parseExactJson(written(tree))).toEqual(asRead(tree));
    }),
  );
});

test.each([
  ['9007199254740991', 9007199254740991],
  ['-9007199254740991', -9007199254740991],
  ['9007199254740992', 9007199254740992n],
  ['-9007199254740993', -9007199254740993n],
  ['[1,9007199254740993 ,2]', [1, 9007199254740993n, 2]],
  ['9007199254740993.0', 9007199254740992],
  ['1e30', 1e30],
  ['{"9007199254740993":"9007199254740993"}', { '9007199254740993': '9007199254740993' }],
  ['{"a\\\\":9007199254740993}', { 'a\\': 9007199254740993n }],
  ['{"a\\"":9007199254740993}', { 'a"': 9007199254740993n }],
])('%s', (text, value) => expect(parseExactJson(text)).toEqual(value));

test.each(['', '{', '{"a":}', '[1,]', '0123456789012345678', '"9007199254740993', '{"a":9007199254740993', '-', 'NaN'])(
  'refuses %j without quoting it',
  (text) => {
    expect(() => parseExactJson(text)).toThrow(new AppError('BAD_USER_INPUT', 'The request body is not valid JSON'));
  },
);

describe('nesting', () => {
  const nested = (levels: number) => `${'[{"a":'.repeat(levels / 2)}1${'}]'.repeat(levels / 2)}`;
  const most = LIMITS.jsonNesting.maximum;

  test('up to the limit is read', () => expect(parseExactJson(nested(most))).toBeDefined());
  test('beyond it is refused with the limit', () => {
    expect(() => parseExactJson(nested(most + 2))).toThrow(/^At most 200 levels/);
    expect(() => parseExactJson('['.repeat(1_000_000))).toThrow(/^At most 200 levels/);
  });
  test('brackets inside strings do not count', () => {
    expect(parseExactJson(JSON.stringify('[{"'.repeat(1_000)))).toBe('[{"'.repeat(1_000));
  });
});

test('a large body with long digits in its text is read in linear time', () => {
  const text = '1234567890123456 \\" '.repeat(500_000);
  const startedAt = performance.now();
  expect(parseExactJson(JSON.stringify({ text }))).toEqual({ text });
  // 10 MB take about 100 ms; a quadratic scan would take minutes
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});

test('bigints are found at any depth', () => {
  expect(holdsBigInt({ a: [{ b: 1n }] })).toBe(true);
  expect(holdsBigInt({ a: [{ b: 1 }, 'x', null] })).toBe(false);
});

type Tree = string | number | bigint | boolean | null | Tree[] | { [key: string]: Tree };

function exactOrBig(integer: bigint): number | bigint {
  return Number.isSafeInteger(Number(integer)) ? Number(integer) : integer;
}

function written(tree: unknown): string {
  if (typeof tree === 'bigint') return String(tree);
  if (Array.isArray(tree)) return `[${tree.map(written).join(' ,')}]`;
  if (typeof tree === 'object' && tree !== null)
    return `{${Object.entries(tree)
      .map(([key, value]) => `${JSON.stringify(key)}: ${written(value)}`)
      .join()}}`;
  return JSON.stringify(tree);
}

/** Doubles beyond 2^53 are written without a point, so they are read as the integers that they are. */
function asRead(tree: unknown): unknown {
  const value = tree as Tree;
  if (typeof value === 'number' && /^-?\d+$/.test(JSON.stringify(value)))
    return exactOrBig(BigInt(JSON.stringify(value)));
  if (Array.isArray(value)) return value.map(asRead);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, asRead(item)]));
  return value;
}
