import { parseValue } from 'graphql';
import { describe, expect, test } from 'vitest';
import { DateTime } from '../../src/graphql/scalars/date-time.js';
import { JSONObject } from '../../src/graphql/scalars/json.js';
import { MetadataValue } from '../../src/graphql/scalars/metadata-value.js';

describe('DateTime', () => {
  test.each([
    ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.000Z'],
    ['2026-01-31t12:00:00z', '2026-01-31T12:00:00.000Z'],
    ['2026-01-31T12:00:00.1234+02:00', '2026-01-31T10:00:00.123Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
  ])('reads %s', (text, instant) => {
    expect(DateTime.serialize(DateTime.parseValue(text))).toBe(instant);
  });

  test.each(['2026-01-31', '2026-01-31 12:00:00Z', '2026-01-31T12:00:00', '2026-02-30T00:00:00Z', '', '0', 'now'])(
    'refuses %j, which is ambiguous or no instant',
    (text) => expect(() => DateTime.parseValue(text)).toThrow('RFC 3339'),
  );

  test.each([0, null, true, {}])('refuses %j', (value) => {
    expect(() => DateTime.parseValue(value)).toThrow('RFC 3339');
  });

  test('refuses literals that are no strings', () => {
    expect(() => DateTime.parseLiteral(parseValue('2026'))).toThrow('RFC 3339');
  });
});

describe('JSONObject', () => {
  const literal = (text: string, variables = {}) => JSONObject.parseLiteral(parseValue(text), variables);

  test('reads literals, variables inside them included', () => {
    expect(literal('{a: 1, b: [true, null, "x", 1.5], c: $v, d: {e: 2}}', { v: 'given' })).toEqual({
      a: 1,
      b: [true, null, 'x', 1.5],
      c: 'given',
      d: { e: 2 },
    });
  });

  test('leaves out a key whose variable was not supplied', () => {
    expect(literal('{a: $missing, b: 1}')).toEqual({ b: 1 });
  });

  test('keeps integers exact, as bigints where numbers are not', () => {
    expect(literal('{a: 9007199254740991, b: 9007199254740992, c: -9007199254740993}')).toEqual({
      a: 9007199254740991,
      b: 9007199254740992n,
      c: -9007199254740993n,
    });
  });

  test('keeps a key that is named like a built-in property', () => {
    const value = literal('{__proto__: 1, constructor: 2}');
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  test.each(['1', '"x"', '[1]', 'null', 'true'])('refuses the literal %s', (text) => {
    expect(() => literal(text)).toThrow('Expected a JSON object');
  });

  test.each([1, 'x', [], null])('refuses the value %j', (value) => {
    expect(() => JSONObject.parseValue(value)).toThrow('Expected a JSON object');
  });
});

describe('MetadataValue', () => {
  test.each(['x', '', 1, -1.5, true, false])('takes %j', (value) => {
    expect(MetadataValue.parseValue(value)).toBe(value);
    expect(MetadataValue.parseLiteral(parseValue(JSON.stringify(value)))).toBe(value);
  });

  test('refuses everything else', () => {
    for (const value of [null, {}, { $ne: '' }, [], ['x'], Number.NaN, 9007199254740993n, undefined])
      expect(() => MetadataValue.parseValue(value)).toThrow('A filter value must be');
  });

  test.each(['{a: 1}', '[1]', 'ENUM', '9007199254740993'])('refuses the literal %s', (text) => {
    expect(() => MetadataValue.parseLiteral(parseValue(text))).toThrow('A filter value must be');
  });
});
