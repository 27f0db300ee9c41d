import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Reranker } from '../../../src/retrieve/rerank/reranker.js';
import { startTestPocketAtlas, type TestPocketAtlas } from '../../support/pocket-atlas.js';
import { type Harness, me, openHarness } from '../harness.js';

let server: TestPocketAtlas;
let harness: Harness;
let asked: readonly string[] = [];
let behave: Reranker['rerank'];

beforeAll(async () => {
  server = await startTestPocketAtlas();
  const reranker: Reranker = {
    rerank: async (query, texts, signal) => {
      asked = texts;
      return await behave(query, texts, signal);
    },
  };
  harness = await openHarness(server.uri, 'rerank', {
    retrieve: { reranker, rerankCount: 4, rerankDeadlineMs: 100 },
  });
  for (let index = 0; index < 8; index++) {
    const text = `Mill ${index} grinds corn${' and wheat'.repeat(index)}.`;
    await harness.upsert(me, { title: `m${index}`, text, waitUntil: index === 7 ? 'SEARCHABLE' : 'STORED' });
  }
});
afterAll(async () => {
  await harness?.close();
  await server?.stop();
});

const request = { query: 'which mill grinds corn', first: 3 } as const;

describe('rerank: true', () => {
  it('reorders the best, shows their rerank score, and walks on through pages', async () => {
    const base = await harness.search(me, { ...request, first: 8 });
    behave = async (_query, texts) => texts.map((_, index) => index);
    const first = await harness.search(me, { ...request, rerank: true });
    expect(asked).toEqual(base.hits.slice(0, 4).map(({ text }) => text));
    const ids = base.hits.map(({ chunk }) => chunk.id);
    expect(first.hits.map(({ chunk }) => chunk.id)).toEqual([ids[3], ids[2], ids[1]]);
    expect(first.hits.map(({ scores, score }) => [scores.rerank, score])).toEqual([[3, 3], [2, 2], [1, 1]]); // biome-ignore format: one line
    expect(first.diagnostics.degraded).toEqual([]);
    const next = await harness.search(me, { ...request, rerank: true, after: first.hits[2]!.cursor });
    expect(next.hits.map(({ chunk }) => chunk.id)).toEqual([ids[0], ids[4], ids[5]]);
    expect(next.hits.map(({ scores }) => scores.rerank)).toEqual([0, null, null]);
  });

  it('keeps the base order and says RERANK_UNAVAILABLE when the reranker fails or is late', async () => {
    const base = await harness.search(me, request);
    const failures: Reranker['rerank'][] = [
      async () => {
        throw new Error('down');
      },
      (_query, _texts, signal) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
    ];
    for (const failure of failures) {
      behave = failure;
      const { hits, diagnostics } = await harness.search(me, { ...request, rerank: true });
      expect(hits.map(({ chunk, score }) => [chunk.id, score])).toEqual(base.hits.map(({ chunk, score }) => [chunk.id, score])); // biome-ignore format: one line
      expect(diagnostics.degraded).toEqual(['RERANK_UNAVAILABLE']);
    }
  });

  it('keeps the base order too when the search has less time left than the reranker may take', async () => {
    const hangs = (signal: AbortSignal | undefined) =>
      new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    const hurried = await openHarness(server.uri, 'rerank', {
      retrieve: {
        reranker: { rerank: (_query, _texts, signal) => hangs(signal) },
        rerankDeadlineMs: 60_000,
        deadlineMs: 2_000,
      },
      embedder: (real) => ({ ...real, embed: (_texts, { signal }) => hangs(signal) }),
    });
    try {
      // The embedder took more than half of the time before.
      const { hits, diagnostics } = await hurried.search(me, { ...request, rerank: true });
      expect(hits).toHaveLength(3);
      expect(new Set(diagnostics.degraded)).toEqual(new Set(['EMBEDDER_UNAVAILABLE', 'RERANK_UNAVAILABLE']));
    } finally {
      await hurried.close();
    }
  });
});
