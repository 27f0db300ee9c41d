import { expect, test } from 'vitest';
import type { Embedder } from '../../src/embed/embedder.js';
import { countHashTokens, HASH_SPACE, hashVector } from '../../src/embed/hash.js';
import { embedHash } from '../../src/ingest/embed-strings.js';
import { RecentVectors } from '../../src/ingest/recent-vectors.js';
import { SpaceVectors } from '../../src/ingest/space-vectors.js';
import type { KeptWork } from '../../src/store/kept-work.js';
import { makeScope } from '../../src/store/scope.js';

const ada = makeScope('ada', null);
/** So few strings never reach the database. */
const noStore = {} as KeptWork;

/** Answers when the test says so. */
function slowEmbedder(lateChunking?: { maxTokens: number }) {
  const calls: { texts: readonly string[]; together: boolean; answer: () => void; fail: () => void }[] = [];
  const embedder: Embedder = {
    space: HASH_SPACE,
    ...(lateChunking && { lateChunking }),
    countTokens: countHashTokens,
    embed: (texts, { together = false }) =>
      new Promise((resolve, reject) => {
        const answer = () => resolve(texts.map(hashVector));
        calls.push({ texts, together, answer, fail: () => reject(new Error('provider down')) });
      }),
  };
  return { embedder, calls };
}

const stringsOf = (texts: readonly string[], group?: string) =>
  new Map(texts.map((text) => [embedHash(text), { text, tokens: 1, ...(group !== undefined && { group }) }]));

test('two upserts that share a passage ask for it once, and for the rest each by itself', async () => {
  const { embedder, calls } = slowEmbedder();
  const recentVectors = new RecentVectors();
  const [first, second] = [0, 1].map(() => new SpaceVectors({ store: noStore, recentVectors }, ada, embedder));
  const one = first!.embed(stringsOf(['shared', 'one']), {});
  const two = second!.embed(stringsOf(['shared', 'two']), {});
  await expect.poll(() => calls.map(({ texts }) => texts)).toEqual([['shared', 'one'], ['two']]);
  calls[1]!.answer();
  calls[0]!.answer();
  expect((await two).get(embedHash('shared'))).toEqual((await one).get(embedHash('shared')));
  expect(second!.isRecalled(embedHash('shared'))).toBe(true);
  expect(second!.isRecalled(embedHash('two'))).toBe(false);
  expect(calls).toHaveLength(2);
});

test('the one that waits asks itself when the other fails, and ends when its caller does', async () => {
  const { embedder, calls } = slowEmbedder();
  const recentVectors = new RecentVectors();
  const vectors = () => new SpaceVectors({ store: noStore, recentVectors }, ada, embedder);
  const one = vectors().embed(stringsOf(['shared']), {});
  const two = vectors().embed(stringsOf(['shared']), {});
  const stop = new AbortController();
  const three = vectors().embed(stringsOf(['shared']), { signal: stop.signal });
  stop.abort(new Error('enough'));
  await expect(three).rejects.toThrow('enough');
  calls[0]!.fail();
  await expect(one).rejects.toThrow('provider down');
  await expect.poll(() => calls.length).toBe(2);
  calls[1]!.answer();
  expect((await two).size).toBe(1);
});

test('a group is asked for whole, also where part of it is known or under way elsewhere', async () => {
  const { embedder, calls } = slowEmbedder({ maxTokens: 100 });
  const recentVectors = new RecentVectors();
  const of = recentVectors.of(ada, HASH_SPACE);
  of.remember(embedHash('a'), hashVector('a'));
  of.announce(embedHash('b'));
  const asked = new SpaceVectors({ store: noStore, recentVectors }, ada, embedder).embed(
    stringsOf(['a', 'b', 'c'], 'group'),
    {},
  );
  await new Promise((resolve) => setImmediate(resolve));
  expect(calls).toEqual([]);
  of.settle(embedHash('b'));
  await expect.poll(() => calls).toMatchObject([{ texts: ['a', 'b', 'c'], together: true }]);
  calls[0]!.answer();
  expect((await asked).size).toBe(3);
});

test('memory is bounded: what was not used for the longest time is forgotten', () => {
  const recent = new RecentVectors(4 * HASH_SPACE.dimensions * 4).of(ada, HASH_SPACE);
  for (const text of ['a', 'b', 'c']) {
    recent.remember(text, hashVector(text));
    recent.recall('a');
  }
  recent.remember('d', hashVector('d'));
  expect(['a', 'b', 'c', 'd'].map((hash) => recent.recall(hash) !== undefined)).toEqual([true, false, false, true]);
});
