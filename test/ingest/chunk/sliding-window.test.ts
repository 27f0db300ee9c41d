import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chunk } from '../../../src/ingest/chunk/chunk.js';
import { slidingWindow } from '../../../src/ingest/chunk/sliding-window.js';
import { contextOf } from './texts.js';

/** Windows of 1000 / 100 where the last one ends with the text. */
function stopOracle(text: string, size: number, overlap: number): string[] {
  const windows: string[] = [];
  for (let start = 0; start < text.length; start += size - overlap) {
    windows.push(text.slice(start, start + size));
    if (start + size >= text.length) break;
  }
  return windows;
}

/** Windows of 800 / 100 of the stripped text, stripped themselves, while any starts inside. */
function keepOracle(text: string, size: number, overlap: number): string[] {
  const stripped = text.trim();
  const windows: string[] = [];
  for (let start = 0; start < stripped.length; start += size - overlap) {
    const window = stripped.slice(start, start + size).trim();
    if (window) windows.push(window);
  }
  return windows;
}

const plain = fc.string({
  unit: fc.constantFrom('a', 'B', '7', '.', ' ', ' ', '\n', '\t', '\u00a0', 'é', '字'),
  maxLength: 400,
});
const window = fc
  .integer({ min: 1, max: 60 })
  .chain((size) => fc.record({ size: fc.constant(size), overlap: fc.integer({ min: 0, max: size - 1 }) }));
const textsOf = (text: string, spans: readonly { start: number; end: number }[]) =>
  spans.map(({ start, end }) => text.slice(start, end));

describe('slidingWindow', () => {
  it('stops with the text as the first oracle does', () => {
    fc.assert(
      fc.property(plain, window, (text, { size, overlap }) => {
        const spans = slidingWindow(text, { size, overlap, strip: false, tail: 'stop' });
        expect(textsOf(text, spans)).toEqual(stopOracle(text, size, overlap));
      }),
    );
  });

  it('strips and keeps the tail as the second oracle does', () => {
    fc.assert(
      fc.property(plain, window, (text, { size, overlap }) => {
        const spans = slidingWindow(text, { size, overlap, strip: true, tail: 'keep' });
        expect(textsOf(text, spans)).toEqual(keepOracle(text, size, overlap));
      }),
    );
  });

  it.each([
    [
      1_500,
      'keep',
      800,
      [
        [0, 800],
        [700, 1_500],
        [1_400, 1_500],
      ],
    ],
    [
      1_500,
      'stop',
      800,
      [
        [0, 800],
        [700, 1_500],
      ],
    ],
    [800, 'stop', 800, [[0, 800]]],
    [
      801,
      'stop',
      800,
      [
        [0, 800],
        [700, 801],
      ],
    ],
    [0, 'keep', 800, []],
  ] as const)('cuts %i characters with tail %s and size %i', (length, tail, size, expected) => {
    const spans = slidingWindow('A'.repeat(length), { size, overlap: 100, strip: tail === 'keep', tail });
    expect(spans.map(({ start, end }) => [start, end])).toEqual(expected);
  });

  it('moves a boundary inside an emoji back to its start, and the next window with it', () => {
    const text = `abc👍🏽def`;
    const spans = slidingWindow(text, { size: 5, overlap: 1, strip: false, tail: 'stop' });
    expect(textsOf(text, spans)).toEqual(['abc', 'c👍🏽', '👍🏽d', 'def']);
  });

  it('goes forward through graphemes longer than the window', () => {
    const text = '👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦';
    const spans = slidingWindow(text, { size: 3, overlap: 2, strip: false, tail: 'keep' });
    expect(textsOf(text, spans)).toEqual(['👨‍👩‍👧‍👦', '👨‍👩‍👧‍👦', '👨‍👩‍👧‍👦']);
  });

  it.each([
    [10, 10],
    [10, 11],
    [10, -1],
    [0, 0],
    [Number.NaN, 0],
    [10, 2.5],
  ])('refuses size %d with overlap %d', (size, overlap) => {
    expect(() => slidingWindow('text', { size, overlap, strip: false, tail: 'stop' })).toThrowError(
      expect.objectContaining({ code: 'INVALID' }),
    );
  });
});

it('drops windows of white space only through the API strategy, and keeps the others whole', async () => {
  const text = `alpha${' '.repeat(30)}omega`;
  const chunks = await chunk(text, contextOf({ strategy: 'SLIDING_WINDOW', maxCharacters: 10, overlap: 0 }));
  expect(textsOf(text, chunks)).toEqual(['alpha     ', '     omega']);
});
