import { describe, expect, it } from 'vitest';
import { contractEmbedder } from '../../src/embed/contract.js';
import type { Embedder, EmbedderSpace } from '../../src/embed/embedder.js';
import { HASH_SPACE } from '../../src/embed/hash.js';

const SPACE: EmbedderSpace = { ...HASH_SPACE, model: 'tiny', dimensions: 2 };

function answering(vectors: unknown[], space: EmbedderSpace = SPACE): Embedder {
  return contractEmbedder({
    space,
    countTokens: (text) => text.length,
    embed: async (_, { onVector }) => {
      for (const [at, vector] of vectors.entries()) onVector?.(at, vector as Float32Array);
      return vectors as Float32Array[];
    },
  });
}
const unit = Float32Array.of(0.6, 0.8);

describe('the embedder contract', () => {
  it.each([
    [[unit], 'Expected 2 vectors, got 1 (model tiny)'],
    [[unit, unit, unit], 'Expected 2 vectors, got 3 (model tiny)'],
    [[unit, Float32Array.of(1)], 'Expected 2 dimensions, got 1 (model tiny)'],
    [[unit, Float32Array.of(1, Number.NaN)], 'Expected finite numbers in the vector at index 1'],
    [[unit, Float32Array.of(Number.POSITIVE_INFINITY, 0)], 'Expected finite numbers in the vector at index 1'],
    [[unit, Float32Array.of(0, 0)], 'Expected a direction in the vector at index 1'],
    [[unit, undefined], 'Expected a vector at index 1, got undefined'],
    [[unit, [0.6, 0.8]], 'Expected a vector at index 1, got object'],
  ])('refuses %j with both sides named', async (vectors, message) => {
    await expect(answering(vectors).embed(['a', 'b'], { kind: 'document' })).rejects.toMatchObject({
      code: 'PROVIDER_UNAVAILABLE',
      message: expect.stringContaining(message),
      details: { provider: 'hash', reason: 'BAD_ANSWER', retryable: false },
    });
  });

  it('checks a vector before anyone keeps it', async () => {
    const kept: Float32Array[] = [];
    const embedding = answering([unit, Float32Array.of(1)]).embed(['a', 'b'], {
      kind: 'document',
      onVector: (_, vector) => kept.push(vector),
    });
    await expect(embedding).rejects.toThrow('Expected 2 dimensions, got 1');
    expect(kept).toEqual([unit]);
  });

  it('needs unit vectors only for the dot product', async () => {
    const long = [Float32Array.of(3, 4)];
    expect(await answering(long).embed(['a'], { kind: 'query' })).toEqual(long);
    await expect(
      answering(long, { ...SPACE, similarity: 'dotProduct' }).embed(['a'], { kind: 'query' }),
    ).rejects.toThrow('Expected a vector of length 1 at index 0, got length 5.000');
  });

  it.each(['', ' ', '\u200b \u00a0', '\ufe0f\u200d'])('sends nothing when a text is blank (%j)', async (blank) => {
    await expect(answering([unit, unit]).embed(['a', blank], { kind: 'query' })).rejects.toMatchObject({
      code: 'BAD_USER_INPUT',
    });
  });

  it('makes nothing of nothing', async () => {
    expect(await answering([unit]).embed([], { kind: 'document' })).toEqual([]);
  });
});
