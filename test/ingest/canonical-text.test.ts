import { expect, test } from 'vitest';
import { canonicalText, MAX_TEXT_BYTES } from '../../src/ingest/canonical-text.js';

test.each([
  ['\ufeffa\r\nb\rc\nd', 'a\nb\nc\nd'],
  ['a\0b', 'ab'],
  ['a\ud800b', 'a\ufffdb'],
  ['😀', '😀'],
  ['  a  ', '  a  '],
])('%j is stored as %j', (given, stored) => {
  expect(canonicalText(given)).toBe(stored);
  expect(canonicalText(stored)).toBe(stored);
});

test.each(['', ' \n\t', '\u200b \u00a0', '\0\0', '\ufeff', '\u2800'])('%j is EMPTY_TEXT', (text) => {
  expect(() => canonicalText(text)).toThrow(expect.objectContaining({ code: 'EMPTY_TEXT', path: ['input', 'text'] }));
});

test('the limit counts UTF-8, on both sides', () => {
  const euros = Math.floor(MAX_TEXT_BYTES / 3);
  expect(canonicalText('€'.repeat(euros))).toHaveLength(euros);
  expect(() => canonicalText('€'.repeat(euros + 1))).toThrow(expect.objectContaining({ code: 'TOO_LARGE' }));
});
