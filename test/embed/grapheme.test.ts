import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { graphemeCeil, graphemeFloor, isGraphemeBoundary } from '../../src/embed/grapheme.js';

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
const boundariesOf = (text: string) =>
  new Set([...segmenter.segment(text)].map((part) => part.index).concat(text.length));

const pieces = fc.constantFrom(
  ...[
    'a',
    ' ',
    '\n',
    '\r',
    '\r\n',
    '.',
    'é',
    'e\u0301',
    '\u0301',
    '👍',
    '👍🏽',
    '👨‍👩‍👧‍👦',
    '🇩🇪',
    '🇫',
    '\u200d',
    '\u200b',
    '\ufe0f',
  ],
  ...[
    '字',
    'か',
    'か\u3099',
    '한',
    '\u1112\u1161\u11ab',
    'क',
    'क्षि',
    'नी',
    'ำ',
    'ก',
    '\u0600',
    '\u06dd',
    '©',
    '𑂽',
    '𝒳',
    '\ud83d',
    '\udc4d',
  ],
);
const texts = fc.array(pieces, { maxLength: 40 }).map((parts) => parts.join(''));

describe('grapheme boundaries', () => {
  it('are those of the whole text, although only the neighbourhood is read', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const expected = boundariesOf(text);
        for (let at = 0; at <= text.length; at++) {
          let floor = at;
          while (!expected.has(floor)) floor--;
          let ceil = at;
          while (!expected.has(ceil)) ceil++;
          expect([at, graphemeFloor(text, at), graphemeCeil(text, at), isGraphemeBoundary(text, at)]).toEqual([
            at,
            floor,
            ceil,
            expected.has(at),
          ]);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('are found in long runs without reading them again and again', () => {
    for (const run of ['👍', '🇩🇪', '👩‍🚀', 'क्षि', 'ع', '한', 'ế', '\u1112\u1161\u11ab']) {
      const text = run.repeat(Math.ceil(200_000 / run.length));
      const start = performance.now();
      for (let at = 0; at < text.length; at += 101) graphemeFloor(text, at);
      expect(performance.now() - start, run).toBeLessThan(2_000);
    }
  });

  it('cut no surrogate pair of a grapheme that is longer than the region read', () => {
    const text = `x${'\u{1d165}'.repeat(5_000)}y`;
    for (const at of [3_000, 3_001, 9_000]) {
      expect(text.charCodeAt(graphemeFloor(text, at)) & 0xfc00).not.toBe(0xdc00);
      expect(text.charCodeAt(graphemeCeil(text, at)) & 0xfc00).not.toBe(0xdc00);
      expect(graphemeFloor(text, at)).toBeGreaterThan(0);
    }
  });
});
