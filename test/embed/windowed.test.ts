import { describe, expect, it } from 'vitest';
import type { Embedder } from '../../src/embed/embedder.js';
import { countHashTokens, HASH_SPACE, hashVector } from '../../src/embed/hash.js';
import { windowedEmbedder } from '../../src/embed/windowed.js';

function recording(maxInputTokens: number): { embedder: Embedder; sent: string[] } {
  const sent: string[] = [];
  const embedder = windowedEmbedder({
    space: { ...HASH_SPACE, maxInputTokens },
    countTokens: countHashTokens,
    async embed(texts, { onVector }) {
      sent.push(...texts);
      // last first: batches arrive in any order
      for (let at = texts.length - 1; at >= 0; at--) onVector?.(at, hashVector(texts[at]!));
      return texts.map(hashVector);
    },
  });
  return { embedder, sent };
}

describe('texts longer than the model’s input', () => {
  it('are embedded as windows, averaged by their tokens to a unit vector', async () => {
    const { embedder, sent } = recording(4);
    const seen: number[] = [];
    const [short, long] = await embedder.embed(['one two', 'aaaa bbbb cccc dddd eeee'], {
      kind: 'document',
      onVector: (at) => seen.push(at),
    });
    expect(sent).toEqual(['one two', 'aaaa bbbb cccc dddd', ' eeee']);
    expect(short).toEqual(hashVector('one two'));
    const sum = hashVector('aaaa bbbb cccc dddd').map((value, axis) => 4 * value + hashVector('eeee')[axis]!);
    const length = Math.hypot(...sum);
    for (const [axis, value] of sum.entries()) expect(long![axis]).toBeCloseTo(value / length, 5);
    expect(seen.sort()).toEqual([0, 1]);
  });

  it('lose nothing between windows and never exceed the limit', async () => {
    const { embedder, sent } = recording(16);
    const text = Array.from({ length: 60 }, (_, at) => `word${at}`).join(' ');
    await embedder.embed([text], { kind: 'document' });
    expect(sent.join('')).toBe(text);
    expect(sent.every((window) => countHashTokens(window) <= 16)).toBe(true);
  });

  it('are refused above sixteen windows, but a query is cut off there', async () => {
    const { embedder, sent } = recording(4);
    const text = 'word '.repeat(4 * 17);
    await expect(embedder.embed([text], { kind: 'document' })).rejects.toMatchObject({ code: 'TOO_LARGE' });
    expect(sent).toEqual([]);
    await embedder.embed([text], { kind: 'query' });
    expect(sent).toHaveLength(16);
  });
});
