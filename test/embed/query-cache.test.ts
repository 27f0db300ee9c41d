import { describe, expect, it } from 'vitest';
import type { Embedder } from '../../src/embed/embedder.js';
import { countHashTokens, HASH_SPACE, hashVector } from '../../src/embed/hash.js';
import { cachedQueries } from '../../src/embed/query-cache.js';

function recording(): { embedder: Embedder; calls: string[][] } {
  const calls: string[][] = [];
  return {
    calls,
    embedder: {
      space: HASH_SPACE,
      countTokens: countHashTokens,
      async embed(texts) {
        calls.push([...texts]);
        return texts.map(hashVector);
      },
    },
  };
}

describe('the query cache', () => {
  it('asks once for each text', async () => {
    const { embedder, calls } = recording();
    const cached = cachedQueries(embedder);
    const first = await cached.embed(['a', 'b', 'a'], { kind: 'query' });
    const second = await cached.embed(['b', 'c'], { kind: 'query' });
    expect(calls).toEqual([['a', 'b'], ['c']]);
    expect(first).toEqual(['a', 'b', 'a'].map(hashVector));
    expect(second).toEqual(['b', 'c'].map(hashVector));
  });

  it('forgets the least recently used', async () => {
    const { embedder, calls } = recording();
    const cached = cachedQueries(embedder, 2);
    for (const text of ['a', 'b', 'a', 'c', 'a', 'b']) await cached.embed([text], { kind: 'query' });
    expect(calls.flat()).toEqual(['a', 'b', 'c', 'b']);
  });

  it('is not spoilt by a caller who writes into what it got', async () => {
    const cached = cachedQueries(recording().embedder);
    (await cached.embed(['a'], { kind: 'query' }))[0]!.fill(0);
    expect(await cached.embed(['a'], { kind: 'query' })).toEqual([hashVector('a')]);
  });

  it('does not remember documents or failures', async () => {
    const { embedder, calls } = recording();
    const cached = cachedQueries(embedder);
    await cached.embed(['a'], { kind: 'document' });
    await cached.embed(['a'], { kind: 'document' });
    await expect(cached.embed(['b'], { kind: 'query', signal: AbortSignal.abort() })).rejects.toThrow();
    await cached.embed(['b'], { kind: 'query' });
    expect(calls).toEqual([['a'], ['a'], ['b']]);
  });
});
