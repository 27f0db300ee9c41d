import { describe, expect, test } from 'vitest';
import type { Embedder } from '../../src/embed/embedder.js';
import { chunk } from '../../src/ingest/chunk/chunk.js';
import type { Chunk } from '../../src/ingest/chunk/chunker.js';
import { embedHash, embedStrings, MAX_WINDOWS } from '../../src/ingest/embed-strings.js';

/** Counts words, and points each text into the direction of its first word's length. */
function wordEmbedder(maxInputTokens: number, similarity: 'cosine' | 'euclidean' = 'cosine') {
  const asked: string[] = [];
  const words = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');
  const embedder: Embedder = {
    space: { provider: 'hash', model: 'words', dimensions: 2, similarity, maxInputTokens, languages: null },
    countTokens: (text) => words(text).length,
    async embed(texts) {
      asked.push(...texts);
      return texts.map((text) => {
        const angle = (words(text)[0] ?? '').length;
        return Float32Array.of(Math.cos(angle), Math.sin(angle));
      });
    },
  };
  return { embedder, asked };
}

const strings = (...texts: string[]): Map<string, string> => new Map(texts.map((text) => [embedHash(text), text]));
const run = (texts: Map<string, string>, embedder: Embedder, cache = new Map<string, Float32Array>()) =>
  embedStrings(texts, embedder, { chunk: chunk as Chunk, cache });

describe('a string above the limit', () => {
  const long = Array.from({ length: 25 }, (_, index) => String.fromCharCode(97 + index).repeat((index % 10) + 1)).join(
    ' ',
  );

  test('is embedded as windows that each fit, averaged by their tokens to length 1', async () => {
    const { embedder, asked } = wordEmbedder(10);
    const { vectors, averaged } = await run(strings(long), embedder);
    expect(averaged).toBe(1);
    expect(asked.map((text) => embedder.countTokens(text))).toEqual([10, 10, 5]);
    expect(asked.join('').replace(/\s/g, '')).toBe(long.replace(/\s/g, ''));
    const [vector] = [...vectors.values()];
    expect(Math.hypot(...(vector as Float32Array))).toBeCloseTo(1);
    // Windows begin with words of 1, 1 and 1 letters: all point the same way.
    expect((vector as Float32Array)[0]).toBeCloseTo(Math.cos(1));
  });

  test('is weighted by tokens: nine tenths against one', async () => {
    const { embedder } = wordEmbedder(9, 'euclidean');
    const text = `a ${'b '.repeat(8)}cc`;
    const { vectors } = await run(strings(text), embedder);
    const [vector] = [...vectors.values()];
    expect((vector as Float32Array)[0]).toBeCloseTo(0.9 * Math.cos(1) + 0.1 * Math.cos(2));
  });

  test('is TOO_LARGE above sixteen windows, whatever its length', async () => {
    const { embedder, asked } = wordEmbedder(10);
    const words = (count: number): string => 'word '.repeat(count).trim();
    expect((await run(strings(words(MAX_WINDOWS * 10)), embedder)).averaged).toBe(1);
    asked.length = 0;
    for (const text of [words(MAX_WINDOWS * 10 + 1), 'x'.repeat(30_000)])
      await expect(run(strings(text), embedder)).rejects.toMatchObject({
        code: 'TOO_LARGE',
        path: ['input', 'chunking'],
      });
    expect(asked).toEqual([]);
  });
});

test('what is in the cache is not asked again, and what came before a failure stays there', async () => {
  const { embedder, asked } = wordEmbedder(100);
  const cache = new Map<string, Float32Array>();
  const failing: Embedder = {
    ...embedder,
    async embed(texts, { onVector }) {
      onVector?.(0, Float32Array.of(1, 0));
      throw new Error(`stopped after one of ${texts.length}`);
    },
  };
  await expect(run(strings('one', 'two', 'three'), failing, cache)).rejects.toThrow('stopped after one of 3');
  expect(cache.size).toBe(1);
  const { vectors } = await run(strings('one', 'two', 'three'), embedder, cache);
  expect(asked).toEqual(['two', 'three']);
  expect(vectors.size).toBe(3);
});

test('an abort ends before the next call', async () => {
  const { embedder, asked } = wordEmbedder(100);
  const signal = AbortSignal.abort(new Error('enough'));
  await expect(
    embedStrings(strings('one'), embedder, { chunk: chunk as Chunk, cache: new Map(), signal }),
  ).rejects.toThrow('enough');
  expect(asked).toEqual([]);
});
