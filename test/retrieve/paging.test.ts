import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SearchHit, SearchRequest } from '../../src/retrieve/retrieve.js';
import { makeScope, type Scope } from '../../src/store/scope.js';
import { startTestPocketAtlas, type TestPocketAtlas } from '../support/pocket-atlas.js';
import { type Harness, me, openHarness } from './harness.js';

let server: TestPocketAtlas;
let harness: Harness;
let now = new Date('2026-03-01T12:00:00Z');
const COUNT = 45;

beforeAll(async () => {
  server = await startTestPocketAtlas();
  harness = await openHarness(server.uri, 'paging', { clock: () => now });
  await Promise.all(
    Array.from({ length: COUNT }, (_, index) =>
      harness.upsert(me, { title: `d${index}`, text: `Lighthouse number ${index}: ${'lamp '.repeat(index % 7)}.` }),
    ),
  );
});
afterAll(async () => {
  await harness?.close();
  await server?.stop();
});

const question = { query: 'the lamp of a lighthouse', mode: 'HYBRID' } as const;

async function walk(first: number, between: (page: number) => Promise<void> = async () => {}): Promise<SearchHit[]> {
  const hits: SearchHit[] = [];
  let after: string | undefined;
  for (let page = 1; ; page++) {
    const result = await harness.search(me, { ...question, first, ...(after !== undefined && { after }) });
    hits.push(...result.hits);
    if (!result.hasNextPage) return hits;
    after = result.hits.at(-1)!.cursor;
    await between(page);
  }
}

const idsOf = (hits: readonly SearchHit[]) => hits.map(({ chunk }) => chunk.id);

describe('pages of one search', () => {
  it('together are the one big page, ranks and scores included', async () => {
    const whole = await harness.search(me, { ...question, first: 50 });
    expect(whole.hits).toHaveLength(COUNT);
    const pages = await walk(7);
    expect(idsOf(pages)).toEqual(idsOf(whole.hits));
    expect(pages.map(({ rank }) => rank)).toEqual(whole.hits.map(({ rank }) => rank));
    expect(pages.map(({ scores }) => scores)).toEqual(whole.hits.map(({ scores }) => scores));
    expect(pages.map(({ text }) => text)).toEqual(whole.hits.map(({ text }) => text));
  });

  it('neither repeat nor skip a hit while documents are written, and leave out what was deleted', async () => {
    const whole = await harness.search(me, { ...question, first: 50 });
    const victim = whole.hits[20]!.chunk;
    const pages = await walk(7, async (page) => {
      await harness.upsert(me, { title: `new ${page}`, text: 'The lamp of the lighthouse, the lamp of a lighthouse.' });
      if (page === 1) await harness.store.deleteDocument(me, { id: victim.documentId });
    });
    expect(idsOf(pages)).toEqual(idsOf(whole.hits).filter((id) => id !== victim.id));
  });

  it('go on from any hit, also of a page that was the only one', async () => {
    const whole = await harness.search(me, { ...question, first: 100 });
    expect(whole.hasNextPage).toBe(false);
    const rest = await harness.search(me, { ...question, first: 100, after: whole.hits[9]!.cursor });
    expect(idsOf(rest.hits)).toEqual(idsOf(whole.hits).slice(10));
    const end = await harness.search(me, { ...question, first: 100, after: whole.hits.at(-1)!.cursor });
    expect(end.hits).toEqual([]);
    const first = await harness.search(me, { ...question, first: 5 });
    const middle = await harness.search(me, { ...question, first: 3, after: first.hits[1]!.cursor });
    expect(idsOf(middle.hits)).toEqual(idsOf(whole.hits).slice(2, 5));
  });

  it('cost no embedding call and keep nothing when no cursor was selected', async () => {
    const kept = () => harness.store.database.rankings.countDocuments();
    const before = await kept();
    await harness.search(me, { ...question, first: 5 }, { needsCursors: false });
    expect(await kept()).toBe(before);
    const { hits } = await harness.search(me, { query: 'a lamp, asked anew', first: 5 });
    expect(await kept()).toBe(before + 1);
    const embedded = harness.embedded.length;
    await harness.search(me, { query: 'a lamp, asked anew', first: 5, after: hits[4]!.cursor });
    expect(harness.embedded.length).toBe(embedded);
  });
});

describe('a cursor is refused', () => {
  const refused = async (scope: Scope, request: Partial<SearchRequest>, says: RegExp) => {
    await expect(harness.search(scope, { ...question, first: 5, ...request })).rejects.toMatchObject({
      code: 'BAD_USER_INPUT',
      message: expect.stringMatching(says),
    });
  };
  const cursor = async (request: Partial<SearchRequest> = {}) =>
    (await harness.search(me, { ...question, first: 5, ...request })).hits[4]!.cursor;

  it('with any byte changed', async () => {
    const after = await cursor();
    for (let at = 0; at < after.length; at += 5) {
      const changed = after.slice(0, at) + (after[at] === 'A' ? 'B' : 'A') + after.slice(at + 1);
      await refused(me, { after: changed }, /not one of this search/);
    }
  });

  it('by another search, another owner, and other agents', async () => {
    const after = await cursor();
    const others: Partial<SearchRequest>[] = [
      { query: 'another' },
      { mode: 'VECTOR' },
      { filter: { and: [] } },
      { minSimilarity: 0.1 },
      { weights: { vector: 1, text: 1 } },
      { rerank: true },
    ];
    for (const request of others) await refused(me, { after, ...request }, /not one of this search/);
    await refused(makeScope('other', null), { after }, /not one of this search/);
    await refused(makeScope('me', ['ann']), { after }, /not one of this search/);
  });

  it('of a list of documents', async () => {
    const page = await harness.store.listDocuments(me, { orderBy: 'TITLE', first: 1 });
    await refused(me, { after: page.items[0]!.cursor }, /not one of this search/);
  });

  it('after 15 minutes, on reading, whatever the database has deleted by then', async () => {
    const after = await cursor();
    now = new Date(now.getTime() + 15 * 60_000 - 1);
    await harness.search(me, { ...question, first: 5, after });
    now = new Date(now.getTime() + 1);
    await refused(me, { after }, /expired/);
  });
});
