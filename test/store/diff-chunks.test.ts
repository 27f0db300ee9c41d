import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import { expect, test } from 'vitest';
import { diffChunks, type StoredChunk } from '../../src/store/diff-chunks.js';
import type { NewChunk } from '../../src/store/records.js';

const chunksOf = (texts: readonly string[]): NewChunk[] => {
  let start = 0;
  return texts.map((text) => {
    const chunk = {
      start,
      end: start + text.length,
      parentStart: null,
      parentEnd: null,
      page: null,
      headings: [],
      language: null,
      tokenCount: 1,
      text,
      embedHash: `hash of ${text}`,
    };
    start += text.length + 1;
    return chunk;
  });
};

const rowsOf = (texts: readonly string[]): StoredChunk[] =>
  chunksOf(texts).map(({ embedHash, start, end, page }, ordinal) => ({
    _id: new ObjectId(),
    embed_hash: embedHash,
    ordinal,
    start,
    end,
    page,
    headings: [],
    token_count: 1,
  }));

const texts = fc.array(fc.constantFrom('a', 'bb', 'ccc', 'dddd', 'eeeee'), { maxLength: 12 });

test('every chunk is either added or keeps one row with its text, and every row is kept or dropped', () => {
  fc.assert(
    fc.property(texts, texts, (before, after) => {
      const rows = rowsOf(before);
      const { added, moved, unmoved, dropped } = diffChunks(rows, chunksOf(after));
      const kept = [...moved, ...unmoved];
      expect([...added, ...kept].map(({ ordinal }) => ordinal).sort((a, b) => a - b)).toEqual([...after.keys()]);
      expect([...kept.map(({ id }) => id), ...dropped].map(String).sort()).toEqual(
        rows.map(({ _id }) => String(_id)).sort(),
      );
      for (const { id, chunk } of kept)
        expect(rows.find(({ _id }) => _id.equals(id))?.embed_hash).toBe(chunk.embedHash);
      // As many as can be kept are kept.
      const common = ['a', 'bb', 'ccc', 'dddd', 'eeeee'].reduce(
        (sum, text) => sum + Math.min(before.filter((t) => t === text).length, after.filter((t) => t === text).length),
        0,
      );
      expect(kept).toHaveLength(common);
    }),
  );
});

test('an equal version moves nothing', () => {
  const { added, moved, unmoved, dropped } = diffChunks(rowsOf(['a', 'a', 'bb']), chunksOf(['a', 'a', 'bb']));
  expect([added, moved, dropped]).toEqual([[], [], []]);
  expect(unmoved).toHaveLength(3);
});

test('the same embedded string with a text of another length is another chunk', () => {
  const [row] = rowsOf(['abc']);
  const [chunk] = chunksOf(['abc']);
  const shorter = { ...(chunk as NewChunk), text: 'bc', start: 1 };
  expect(diffChunks([row as StoredChunk], [shorter]).added).toHaveLength(1);
});

test('new headings alone move a row', () => {
  const [chunk] = chunksOf(['a']);
  expect(diffChunks(rowsOf(['a']), [{ ...(chunk as NewChunk), headings: ['H'] }]).moved).toHaveLength(1);
});
