import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEmbedder } from '../../src/embed/create-embedder.js';
import { countHashTokens, HASH_SPACE, hashVector } from '../../src/embed/hash.js';

const embedder = createEmbedder({ provider: 'hash' });
const cosine = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, axis) => sum + value * b[axis]!, 0);

describe('the hash embedder', () => {
  it('gives every text a unit vector of the declared dimensions, the same each time', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const vector = hashVector(text);
        expect(vector).toHaveLength(HASH_SPACE.dimensions);
        expect(cosine(vector, vector)).toBeCloseTo(1, 5);
        expect(hashVector(text)).toEqual(vector);
      }),
    );
  });

  it.each([
    ['late refund policy', 'how do I get a refund for a late delivery', 'the quick brown fox'],
    ['安装软件的方法', '如何安装软件', '天气很好'],
  ])('puts %j nearer to %j than to %j', async (query, near, far) => {
    const [q, n, f] = await embedder.embed([query, near, far], { kind: 'document' });
    expect(cosine(q!, n!)).toBeGreaterThan(cosine(q!, f!) + 0.1);
  });

  it('ignores case, width and word order', () => {
    expect(cosine(hashVector('Alpha beta'), hashVector('ｂｅｔａ ALPHA'))).toBeCloseTo(1, 5);
  });

  it('reports each vector as it is made', async () => {
    const seen: number[] = [];
    await embedder.embed(['a', 'b', 'c'], { kind: 'document', onVector: (index) => seen.push(index) });
    expect(seen).toEqual([0, 1, 2]);
  });

  it('does nothing once aborted', async () => {
    await expect(embedder.embed(['a'], { kind: 'query', signal: AbortSignal.abort() })).rejects.toThrow(/abort/i);
  });

  it.each([
    ['', 0],
    [' \u00a0\u200b\n', 0],
    ['word', 1],
    ['words', 2],
    ['two words', 3],
    ['a, b.', 4],
    ['如何', 2],
    ['👍', 1],
  ])('counts %j as %i tokens', (text, tokens) => {
    expect(countHashTokens(text)).toBe(tokens);
  });

  it('counts parts never below the whole, and a part never above it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (a, b) => {
        const whole = countHashTokens(a + b);
        expect(countHashTokens(a) + countHashTokens(b)).toBeGreaterThanOrEqual(whole);
        expect(countHashTokens(a)).toBeLessThanOrEqual(whole);
      }),
    );
  });
});
