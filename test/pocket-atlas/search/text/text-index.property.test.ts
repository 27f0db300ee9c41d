import fc from 'fast-check';
import { expect, test } from 'vitest';
import { B, K1 } from '../../../../src/pocket-atlas/search/text/query/bm25.js';
import { phraseFrequency } from '../../../../src/pocket-atlas/search/text/query/phrase.js';
import { TextIndex } from '../../../../src/pocket-atlas/search/text/text-index.js';
import { hits, memoryEngine, store } from './text-index-support.js';

const word = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const body = fc.array(word, { maxLength: 8 }).map((words) => words.join(' '));
/** Put or remove one of twenty records. */
const change = fc.record({ recordId: fc.integer({ min: 1, max: 20 }), text: fc.option(body, { nil: undefined }) });
const MAPPINGS = { mappings: { fields: { text: { type: 'string' } } } };

/** BM25 over whole texts, ten lines: the same numbers as long as no deleted row is left in a segment. */
function naive(texts: ReadonlyMap<number, string>, query: readonly string[]): Map<number, number> {
  const rows = [...texts]
    .map(([id, text]) => ({ id, words: text === '' ? [] : text.split(' ') }))
    .filter(({ words }) => words.length > 0);
  const average = rows.reduce((sum, { words }) => sum + words.length, 0) / rows.length;
  const scores = new Map<number, number>();
  for (const term of query) {
    const having = rows.filter(({ words }) => words.includes(term));
    const idf = Math.log(1 + (rows.length - having.length + 0.5) / (having.length + 0.5));
    for (const { id, words } of having) {
      const tf = words.filter((one) => one === term).length;
      scores.set(id, (scores.get(id) ?? 0) + (idf * tf) / (tf + K1 * (1 - B + (B * words.length) / average)));
    }
  }
  return scores;
}

test('after any changes the live records match, and inserted-only ones score as BM25 by hand', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(change, { maxLength: 12 }), { maxLength: 6 }),
      fc.array(word, { minLength: 1, maxLength: 3 }),
      async (batches, query) => {
        const engine = memoryEngine();
        let index = await TextIndex.open(MAPPINGS, store(engine));
        const texts = new Map<number, string>();
        let replaced = false;
        for (const [i, batch] of batches.entries()) {
          for (const { recordId, text } of batch) {
            replaced ||= texts.has(recordId);
            if (text === undefined) texts.delete(recordId);
            else texts.set(recordId, text);
          }
          await index.apply(
            batch.map(({ recordId, text }) => ({ recordId, doc: text === undefined ? undefined : { text } })),
          );
          if (i % 2 === 1) {
            // a restart: what was persisted is all there is
            await index.persist(i);
            index = await TextIndex.open(MAPPINGS, store(engine));
            expect(index.checkpoint).toBe(i);
          }
        }
        expect(index.rowCount).toBe(texts.size);
        const found = await hits(index, { text: { query: query.join(' '), path: 'text' } });
        const expected = naive(texts, query);
        expect(new Set(found.map(({ recordId }) => recordId))).toEqual(new Set(expected.keys()));
        if (!replaced) for (const { recordId, score } of found) expect(score).toBeCloseTo(expected.get(recordId)!, 4);
        const sorted = [...found].sort((a, b) => b.score - a.score || a.recordId - b.recordId);
        expect(found).toEqual(sorted);
      },
    ),
    { numRuns: 150 },
  );
});

test('many small batches are merged into few segments that answer the same, also after a restart', async () => {
  const engine = memoryEngine();
  const index = await TextIndex.open(MAPPINGS, store(engine));
  for (let i = 1; i <= 300; i++) {
    await index.apply([{ recordId: i, doc: { text: `common w${i % 7}` } }]);
    // a search makes the waiting row a segment
    await hits(index, { exists: { path: 'text' } });
    if (i % 5 === 0) await index.apply([{ recordId: i - 3, doc: undefined }]);
  }
  await index.persist(1);
  expect(engine.entries.size).toBeLessThan(60);
  const again = await TextIndex.open(MAPPINGS, store(engine));
  const query = { text: { query: 'w3', path: 'text' } };
  expect(await hits(again, query)).toEqual(await hits(index, query));
  expect(again.rowCount).toBe(240);
});

test('a missing, cut or foreign value makes an empty index that is filled again, never a crash', async () => {
  const whole = memoryEngine();
  const index = await TextIndex.open(MAPPINGS, store(whole));
  await index.apply([1, 2, 3].map((recordId) => ({ recordId, doc: { text: 'hello' } })));
  await index.persist(2);
  await index.apply([{ recordId: 2, doc: undefined }]);
  await index.persist(3);
  for (const [key, value] of whole.entries) {
    for (const damaged of [undefined, value.subarray(0, value.length >> 1), Buffer.from('{"format":9}')]) {
      const engine = memoryEngine();
      for (const [name, bytes] of whole.entries) engine.entries.set(name, bytes);
      if (damaged === undefined) engine.entries.delete(key);
      else engine.entries.set(key, damaged);
      const again = await TextIndex.open(MAPPINGS, store(engine));
      expect([key, again.checkpoint, again.rowCount]).toEqual([key, 0, 0]);
    }
  }
});

test('a phrase without slop counts the places where all lists agree', () => {
  const list = fc.uniqueArray(fc.integer({ min: 0, max: 15 }), { maxLength: 8 }).map((l) => l.sort((a, b) => a - b));
  fc.assert(
    fc.property(list, list, (a, b) => {
      expect(phraseFrequency([a, b], 0)).toBe(a.filter((position) => b.includes(position)).length);
    }),
  );
});
