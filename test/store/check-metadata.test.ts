import { describe, expect, test } from 'vitest';
import { checkMetadata, MAX_METADATA_BYTES, sameMetadata } from '../../src/store/check-metadata.js';

describe('metadata is flat and exact', () => {
  const refused: [string, unknown, string, string[]][] = [
    ['null', null, 'INVALID', ['input', 'metadata']],
    ['a list', [], 'INVALID', ['input', 'metadata']],
    ['an object inside', { a: {} }, 'INVALID', ['input', 'metadata', 'a']],
    ['a list inside a list', { a: [[]] }, 'INVALID', ['input', 'metadata', 'a']],
    ['an empty key', { '': 1 }, 'INVALID', ['input', 'metadata']],
    ['a dotted key', { 'a.b': 1 }, 'INVALID', ['input', 'metadata']],
    ['a key like an operator', { $set: 1 }, 'INVALID', ['input', 'metadata']],
    ['NUL in a key', { 'a\0b': 1 }, 'INVALID', ['input', 'metadata']],
    ['NaN', { a: Number.NaN }, 'INVALID', ['input', 'metadata', 'a']],
    ['infinity', { a: [Number.POSITIVE_INFINITY] }, 'INVALID', ['input', 'metadata', 'a']],
    ['an integer that JSON has rounded', { a: 2 ** 53 }, 'INVALID', ['input', 'metadata', 'a']],
    ['a function', { a: () => 1 }, 'INVALID', ['input', 'metadata', 'a']],
    ['16 KB and a byte', { a: 'x'.repeat(MAX_METADATA_BYTES - 7) }, 'TOO_LARGE', ['input', 'metadata']],
  ];
  test.each(refused)('%s is refused', (_name, metadata, code, path) => {
    expect(() => checkMetadata(metadata)).toThrow(expect.objectContaining({ code, path }));
  });

  test('16 KB exactly is allowed', () => {
    expect(checkMetadata({ a: 'x'.repeat(MAX_METADATA_BYTES - 8) })).toBeTruthy();
  });

  test('10 000-deep JSON is refused without following it', () => {
    const deep = JSON.parse(`{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`);
    expect(() => checkMetadata(deep)).toThrow(expect.objectContaining({ code: 'INVALID' }));
  });

  test('the largest exact integer, fractions and strings that look like ids stay as they are', () => {
    const metadata = { a: Number.MAX_SAFE_INTEGER, b: -0.5, c: '5cc67a80e46e13a0d6a87a80', d: [null, true, 'x'] };
    expect(checkMetadata(metadata)).toEqual(metadata);
  });

  test('a key named like a built-in property is an ordinary key', () => {
    const metadata = checkMetadata(JSON.parse('{"__proto__": "x", "constructor": "y", "owner": "z"}'));
    expect(Object.entries(metadata)).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
      ['owner', 'z'],
    ]);
    expect(Object.getPrototypeOf(metadata)).toBe(Object.prototype);
  });

  test('lone surrogates become what UTF-8 can hold, so that what is stored equals what is compared', () => {
    expect(checkMetadata({ a: 'x\ud800' })).toEqual({ a: 'x\ufffd' });
  });
});

test('the order of keys says nothing, the order of a list does', () => {
  expect(sameMetadata({ a: 1, b: [1, 2] }, { b: [1, 2], a: 1 })).toBe(true);
  expect(sameMetadata({ a: [1, 2] }, { a: [2, 1] })).toBe(false);
  expect(sameMetadata({ a: 1 }, { a: '1' })).toBe(false);
  expect(sameMetadata({ a: null }, {})).toBe(false);
});
