import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SearchFilter } from '../../src/store/filter.js';
import type { Metadata } from '../../src/store/records.js';
import { makeScope } from '../../src/store/scope.js';
import { type FilteredDocument, matches } from '../../src/store/search/matches.js';
import { MAX_EXACT_DOCUMENTS } from '../../src/store/search/prepare-filter.js';
import { FILTERABLE, filterArbitrary, KEYS, metadataArbitrary } from '../store/search/filter-arbitrary.js';
import { startTestPocketAtlas, type TestPocketAtlas } from '../support/pocket-atlas.js';
import { type Harness, me, openHarness } from './harness.js';

/**
 * The filters of the contract on the real indexes: what a search returns, in every mode, is what the naive matcher passes.
 * One owner has few documents (filters come down to ids), the other more than that limit (the indexes filter by
 * themselves).
 */
const FEW = 12;
const MANY = MAX_EXACT_DOCUMENTS + 20;
const crowd = makeScope('crowd', null);

let server: TestPocketAtlas;
let harness: Harness;
const documents = new Map<string, FilteredDocument[]>();

beforeAll(async () => {
  server = await startTestPocketAtlas();
  harness = await openHarness(server.uri, 'filters', { filterable: FILTERABLE });
  for (const [scope, count] of [
    [me, FEW],
    [crowd, MANY],
  ] as const) {
    // biome-ignore format: table
    const metadata = fc.sample(metadataArbitrary, { numRuns: count, seed: 7 });
    const own = await Promise.all(metadata.map((given, index) => store(scope, index, given)));
    documents.set(scope.owner, own);
    // Every chunk is indexed once the last ones written are: an index takes changes in order.
    await harness.upsert(scope, { title: 'd0', text: 'Passage number 0 about the same harbour, again.' });
  }
});
afterAll(async () => {
  await harness?.close();
  await server?.stop();
});

async function store(scope: typeof me, index: number, metadata: Metadata): Promise<FilteredDocument> {
  const agentIds = ['ann', 'bob', 'cid'].filter((_, bit) => index & (1 << bit));
  const text = `Passage number ${index} about the same harbour.`;
  const { document } = await harness.upsert(scope, { title: `d${index}`, text, metadata, agentIds, waitUntil: 'STORED' }); // biome-ignore format: one call
  return { id: document!.id, agentIds: document!.agentIds, metadata: document!.metadata };
}

/** The filters of the arbitrary name documents 1 to 4: here they are the owner's first four. */
function withRealIds(filter: SearchFilter, own: readonly FilteredDocument[]): SearchFilter {
  const { ids, and, or, not, ...rest } = filter;
  const inner = (part: SearchFilter) => withRealIds(part, own);
  return {
    ...rest,
    ...(ids && { ids: ids.map((id) => own[Number(id)]!.id) }),
    ...(and && { and: and.map(inner) }),
    ...(or && { or: or.map(inner) }),
    ...(not && { not: inner(not) }),
  };
}

async function found(scope: typeof me, filter: SearchFilter, mode: 'VECTOR' | 'TEXT'): Promise<Set<string>> {
  const ids = new Set<string>();
  let after: string | undefined;
  do {
    const page = await harness.search(
      scope,
      { query: 'a passage about the harbour', mode, filter, first: 100, ...(after !== undefined && { after }) },
      { needsText: false },
    );
    for (const { chunk } of page.hits) ids.add(chunk.documentId);
    after = page.hasNextPage ? page.hits.at(-1)!.cursor : undefined;
  } while (after !== undefined);
  return ids;
}

async function agree(scope: typeof me, given: SearchFilter): Promise<void> {
  const own = documents.get(scope.owner)!;
  const filter = withRealIds(given, own);
  const expected = own.filter((document) => matches(filter, document, KEYS)).map(({ id }) => id);
  for (const mode of ['VECTOR', 'TEXT'] as const) {
    expect([...(await found(scope, filter, mode))].sort()).toEqual([...expected].sort());
  }
}

describe('a search returns exactly what its filter passes', () => {
  it('when the filter comes down to few documents', async () => {
    await fc.assert(
      fc.asyncProperty(filterArbitrary, (filter) => agree(me, filter)),
      { numRuns: 30 },
    );
  });

  it('when the indexes filter by themselves', async () => {
    // Nearly everything passes the second part, so that most filters leave more documents than are listed by id.
    const wide = filterArbitrary.map((filter): SearchFilter => ({ or: [filter, { not: { ids: ['1'.padStart(24, '0')] } }] })); // biome-ignore format: one line
    const mixed = fc.oneof(
      filterArbitrary,
      wide,
      filterArbitrary.map((not): SearchFilter => ({ not })),
    );
    await fc.assert(
      fc.asyncProperty(mixed, (filter) => agree(crowd, filter)),
      { numRuns: 30 },
    );
  });

  it('for titles, which are compared like titles', async () => {
    const ids = documents.get('me')!.map(({ id }) => id);
    expect(await found(me, { titles: [' d3 ', 'd5', 'no such'] }, 'TEXT')).toEqual(new Set([ids[3], ids[5]]));
    expect(await found(me, { titles: ['no such'] }, 'VECTOR')).toEqual(new Set());
    expect(await found(me, { not: { titles: ['d3'] } }, 'TEXT')).toEqual(new Set(ids.filter((id) => id !== ids[3])));
    expect(await found(me, { ids: ['JGL-24423/TL', ids[1]!.toUpperCase()] }, 'TEXT')).toEqual(new Set([ids[1]]));
  });
});

describe('credentials bound to agents', () => {
  it('see the documents of their agents only, and a filter cannot widen that', async () => {
    const ann = makeScope('me', ['ann']);
    const own = documents.get('me')!.filter(({ agentIds }) => agentIds.includes('ann')).map(({ id }) => id); // biome-ignore format: one line
    for (const filter of [{ and: [] }, { or: [{ agentIds: ['bob', 'ann'] }, { not: { agentIds: ['bob'] } }] }]) {
      expect([...(await found(ann, filter, 'VECTOR'))].sort()).toEqual([...own].sort());
      expect([...(await found(ann, filter, 'TEXT'))].sort()).toEqual([...own].sort());
    }
  });

  it('lose a document at once when its agents change', async () => {
    const ann = makeScope('me', ['ann']);
    const { document } = await harness.upsert(me, { title: 'shared', text: 'The harbour master’s diary.', agentIds: ['ann'] }); // biome-ignore format: one call
    expect(await found(ann, { ids: [document!.id] }, 'TEXT')).toEqual(new Set([document!.id]));
    await harness.store.updateAttributes(me, { id: document!.id }, { agentIds: ['bob'] });
    expect(await found(ann, { and: [] }, 'TEXT')).not.toContain(document!.id);
    expect(await found(makeScope('me', ['bob']), { ids: [document!.id] }, 'VECTOR')).toEqual(new Set([document!.id]));
    await harness.store.deleteDocument(me, { id: document!.id });
  });
});
