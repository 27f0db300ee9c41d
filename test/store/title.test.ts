import { expect, test } from 'vitest';
import { checkTitle } from '../../src/store/check-attributes.js';
import { normalizeTitle } from '../../src/store/title.js';

test.each([
  ['  A \t\n b  ', 'A b'],
  ['Cafe\u0301', 'Caf\u00e9'],
  ['\u200b \u00a0', ''],
  ['\ufeffTitle\u200b', 'Title'],
  ['a\u200bb', 'a\u200bb'],
  ['x\ud800', 'x\ufffd'],
])('%j is compared as %j', (title, key) => {
  expect(normalizeTitle(title)).toBe(key);
  expect(normalizeTitle(key)).toBe(key);
});

test.each(['', '  ', '\u200b \u00a0', '\ufeff', 'a\0b', 'x'.repeat(513)])('%j is no title', (title) => {
  expect(() => checkTitle(title)).toThrow(expect.objectContaining({ code: 'INVALID', path: ['input', 'title'] }));
});

test('a title keeps what was given', () => {
  expect(checkTitle('  A  b ')).toBe('  A  b ');
  expect(checkTitle('x'.repeat(512))).toHaveLength(512);
});
