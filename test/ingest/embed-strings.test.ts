import { describe, expect, test } from 'vitest';
import { contractEmbedder } from '../../src/embed/contract.js';
import { createHashEmbedder } from '../../src/embed/hash.js';
import { WINDOW_LIMIT } from '../../src/embed/windowed.js';
import { countAveraged, embedHash, embedStrings } from '../../src/ingest/embed-strings.js';
import { countingEmbedder } from '../support/test-store.js';

const strings = (...texts: string[]) => new Map(texts.map((text) => [embedHash(text), { text, tokens: text.length }]));

test('what is in the cache is not asked again, and what came before a failure stays there', async () => {
  const embedder = countingEmbedder();
  const cache = new Map<string, Float32Array>();
  const failing = {
    ...contractEmbedder(createHashEmbedder()),
    embed: async (texts: readonly string[], options: Parameters<typeof embedder.embed>[1]) => {
      const [vector] = await embedder.embed(texts.slice(0, 1), { kind: 'document' });
      options.onVector?.(0, vector as Float32Array);
      throw new Error(`stopped after one of ${texts.length}`);
    },
  };
  await expect(embedStrings(strings('one', 'two', 'three'), failing, { cache })).rejects.toThrow('one of 3');
  expect(cache.size).toBe(1);
  embedder.asked.length = 0;
  const progress: [number, number][] = [];
  const vectors = await embedStrings(strings('one', 'two', 'three'), embedder, {
    cache,
    onProgress: (done, total) => progress.push([done, total]),
  });
  expect(embedder.asked).toEqual(['two', 'three']);
  expect(vectors.size).toBe(3);
  expect(progress).toEqual([
    [1, 2],
    [2, 2],
  ]);
});

test('an embedder that works in this thread lets others have their turn', async () => {
  const hash = createHashEmbedder();
  const many = strings(...Array.from({ length: 200 }, (_, index) => `text ${index}`));
  let turns = 0;
  const atCall: number[] = [];
  const embedder = {
    ...hash,
    async embed(texts: readonly string[], options: Parameters<typeof hash.embed>[1]) {
      atCall.push(turns);
      setImmediate(() => turns++);
      return await hash.embed(texts, options);
    },
  };
  const vectors = await embedStrings(many, embedder, { cache: new Map() });
  expect(vectors.size).toBe(200);
  expect(atCall.length).toBeGreaterThan(3);
  expect(atCall).toEqual(atCall.map((_, index) => index));
});

test('an abort ends before the next call', async () => {
  const embedder = countingEmbedder();
  const signal = AbortSignal.abort(new Error('enough'));
  await expect(embedStrings(strings('one'), embedder, { cache: new Map(), signal })).rejects.toThrow('enough');
  expect(embedder.asked).toEqual([]);
});

describe('strings above the limit of the space', () => {
  const embedder = contractEmbedder(createHashEmbedder());
  const limit = embedder.space.maxInputTokens;

  test('are counted, for a warning', () => {
    const tokens = [1, limit, limit + 1, WINDOW_LIMIT * limit];
    expect(
      countAveraged(
        tokens.map((count) => ({ text: '', tokens: count })),
        embedder,
      ),
    ).toBe(2);
  });

  test('are TOO_LARGE beyond sixteen windows', () => {
    expect(() => countAveraged([{ text: '', tokens: WINDOW_LIMIT * limit + 1 }], embedder)).toThrow(
      expect.objectContaining({ code: 'TOO_LARGE', path: ['input', 'chunking'] }),
    );
  });
});
