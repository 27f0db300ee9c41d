import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DocumentFilter, FilterScalar, MetadataCondition } from '../../src/store/filter.js';
import { documentFilterMql } from '../../src/store/filter-mql.js';
import { filterableValues } from '../../src/store/filterable.js';
import type { DocumentStatus, Filterable, Metadata } from '../../src/store/records.js';
import type { DocumentRow } from '../../src/store/rows.js';
import { makeScope } from '../../src/store/scope.js';
import type { DocumentOrder } from '../../src/store/store.js';
import { normalizeTitle } from '../../src/store/title.js';
import { isLive, liveAt, liveExpression } from '../../src/store/visibility.js';
import { STORE_SERVERS } from '../support/store-servers.js';
import { openTestStore, type TestStore } from '../support/test-store.js';

const scope = makeScope('ada', null);
const filterable: Filterable = { s: 'string', n: 'number', b: 'boolean', d: 'date' };
const DATES = ['2024-05-01T00:00:00Z', '2024-05-01T02:00:00+02:00', '2024-05-02T00:00:00.001Z'];
const VALUES: Record<string, readonly (string | number | boolean | null)[]> = {
  s: ['a', 'B', 'é', '😀', '\uffff', '', null, 3],
  n: [-1, 0, 2.5, 10, null, 'a'],
  b: [true, false, null],
  d: [...DATES, null, 'not a date', 7],
};

interface Candidate {
  readonly id: string;
  readonly title: string;
  readonly agentIds: readonly string[];
  readonly status: DocumentStatus;
  readonly lastError: string | null;
  readonly metadata: Metadata;
}

/** The contract's words, as directly as can be. */
function matches(filter: DocumentFilter, document: Candidate): boolean {
  return (
    (filter.ids?.includes(document.id) ?? true) &&
    (filter.titles?.map(normalizeTitle).includes(normalizeTitle(document.title)) ?? true) &&
    (filter.agentIds?.some((agent) => document.agentIds.includes(agent)) ?? true) &&
    (filter.statuses?.includes(document.status) ?? true) &&
    (filter.hasLastError === undefined || filter.hasLastError === (document.lastError !== null)) &&
    (filter.metadata ?? []).every((condition) => holds(condition, document.metadata)) &&
    (filter.and ?? []).every((inner) => matches(inner, document)) &&
    (filter.or?.some((inner) => matches(inner, document)) ?? true) &&
    (filter.not === undefined || !matches(filter.not, document))
  );
}

function holds(condition: MetadataCondition, metadata: Metadata): boolean {
  const type = filterable[condition.key];
  const comparable = (value: unknown): unknown =>
    type === 'date' && typeof value === 'string' && !Number.isNaN(Date.parse(value))
      ? new Date(value).getTime() * 1_000_000
      : value;
  const stored = metadata[condition.key] ?? null;
  const elements = (Array.isArray(stored) ? stored : [stored]).filter((value) => value !== null).map(comparable);
  const isOneOf = (values: readonly FilterScalar[]) =>
    elements.some((element) => values.map(comparable).includes(element));
  const isTyped = (value: unknown): boolean =>
    type === 'date' ? typeof value === 'number' && Math.abs(value) > 1e12 : typeof value === type;
  const order = (a: unknown, b: unknown): number =>
    typeof a === 'string' && typeof b === 'string'
      ? Buffer.compare(Buffer.from(a), Buffer.from(b))
      : Number(a) - Number(b);
  const bounds = (['gt', 'gte', 'lt', 'lte'] as const).filter((bound) => condition[bound] !== undefined);
  const isWithin = (value: unknown): boolean =>
    bounds.every((bound) => {
      const sign = order(value, comparable(condition[bound]));
      return { gt: sign > 0, gte: sign >= 0, lt: sign < 0, lte: sign <= 0 }[bound];
    });
  return (
    (condition.eq === undefined || isOneOf([condition.eq])) &&
    (condition.ne === undefined || !isOneOf([condition.ne])) &&
    (condition.in === undefined || isOneOf(condition.in)) &&
    (condition.nin === undefined || !isOneOf(condition.nin)) &&
    (bounds.length === 0 || elements.some((value) => isTyped(value) && isWithin(value))) &&
    (condition.exists === undefined || condition.exists === (stored !== null))
  );
}

const metadataArbitrary = fc
  .record(
    Object.fromEntries(
      Object.entries(VALUES).map(([key, values]) => {
        const value = fc.constantFrom(...values);
        return [
          key,
          fc.oneof({ weight: 3, arbitrary: value }, { weight: 2, arbitrary: fc.array(value, { maxLength: 3 }) }),
        ];
      }),
    ),
    { requiredKeys: [] },
  )
  .map((metadata) => ({ ...metadata, other: 'x' }) as Metadata);

const candidateArbitrary = fc.record({
  id: fc.constant('').map(() => new ObjectId().toHexString()),
  title: fc.string({ minLength: 1, maxLength: 4, unit: fc.constantFrom('a', 'b', ' ') }).map((title) => `t ${title}`),
  agentIds: fc.subarray(['x', 'y', 'z']),
  status: fc.constantFrom<DocumentStatus>('READY', 'PENDING', 'FAILED'),
  lastError: fc.constantFrom(null, 'broken'),
  metadata: metadataArbitrary,
});

const conditionArbitrary: fc.Arbitrary<MetadataCondition> = fc.constantFrom(...Object.keys(filterable)).chain((key) => {
  const isDate = key === 'd';
  const any = VALUES[key]!.filter(
    (value) => value !== null && !(isDate && typeof value === 'string' && Number.isNaN(Date.parse(value))),
  ) as FilterScalar[];
  const typed = any.filter((value) => (isDate ? typeof value === 'string' : typeof value === filterable[key]));
  const value = fc.constantFrom(...any);
  const bound = fc.constantFrom(...typed);
  return fc
    .record(
      {
        eq: value,
        ne: value,
        in: fc.array(value, { maxLength: 3 }),
        nin: fc.array(value, { maxLength: 3 }),
        gt: bound,
        gte: bound,
        lt: bound,
        lte: bound,
        exists: fc.boolean(),
      },
      { requiredKeys: [] },
    )
    .filter((operators) => Object.keys(operators).length > 0 && Object.keys(operators).length < 4)
    .map((operators) => ({ key, ...operators }) as MetadataCondition);
});

function filterArbitrary(ids: readonly string[], depth: number): fc.Arbitrary<DocumentFilter> {
  const leaves = {
    ids: fc.array(fc.constantFrom(...ids, 'malformed'), { maxLength: 20 }),
    titles: fc.array(fc.constantFrom('t a', ' t  b', 't ab', 'none'), { maxLength: 3 }),
    agentIds: fc.subarray(['x', 'y', 'none']),
    statuses: fc.subarray<DocumentStatus>(['READY', 'PENDING', 'FAILED']),
    hasLastError: fc.boolean(),
    metadata: fc.array(conditionArbitrary, { maxLength: 2 }),
  };
  const inner = depth === 0 ? null : filterArbitrary(ids, depth - 1);
  const fields: Record<string, fc.Arbitrary<unknown>> = {
    ...leaves,
    ...(inner && { and: fc.array(inner, { maxLength: 2 }), or: fc.array(inner, { maxLength: 3 }), not: inner }),
  };
  // Few fields at a time: all of them together match nothing nearly always.
  return fc
    .subarray(Object.keys(fields), { minLength: 1, maxLength: 2 })
    .chain((keys) =>
      fc.record(Object.fromEntries(keys.map((key) => [key, fields[key]!]))),
    ) as fc.Arbitrary<DocumentFilter>;
}

function rowOf(candidate: Candidate, index: number, owner: string): DocumentRow {
  return {
    _id: new ObjectId(candidate.id),
    owner,
    title: `${candidate.title}`,
    title_key: normalizeTitle(candidate.title),
    media_type: 'text/plain',
    language: null,
    language_given: false,
    source_uri: null,
    agent_ids: [...candidate.agentIds],
    metadata: candidate.metadata,
    filterable: filterableValues(candidate.metadata, filterable),
    content_hash: null,
    text_length: 0,
    version: 0,
    revision: 1,
    status: candidate.status,
    last_error: candidate.lastError,
    chunking: {
      strategy: 'NONE',
      max_tokens: null,
      max_characters: null,
      overlap: 0,
      parent_max_tokens: null,
      contextual: false,
    },
    chunk_count: 0,
    space: null,
    created_at: new Date(1_000 * Math.floor(index / 3)),
    updated_at: new Date(1_000 * (index % 4)),
  };
}

describe.each(STORE_SERVERS)('listing documents on $name', ({ start, hasSearch }) => {
  let server: Awaited<ReturnType<typeof start>>;
  let store: TestStore;
  let candidates: Candidate[];

  beforeAll(async () => {
    server = await start();
    store = await openTestStore(server.uri, { requireSearch: hasSearch, filterable });
    const titles = new Set<string>();
    candidates = fc.sample(candidateArbitrary, { numRuns: 90, seed: 7 }).map((candidate, index) => {
      // One title is one document.
      const isTaken = titles.has(normalizeTitle(candidate.title));
      titles.add(normalizeTitle(candidate.title));
      return isTaken ? { ...candidate, title: `t ${index}` } : candidate;
    });
    await store.database.documents.insertMany(candidates.map((candidate, index) => rowOf(candidate, index, 'ada')));
    // Another owner's rows with the same values: none of them may ever be counted.
    const foreign = candidates.slice(0, 20).map((candidate) => ({ ...candidate, id: new ObjectId().toHexString() }));
    await store.database.documents.insertMany(foreign.map((candidate, index) => rowOf(candidate, index, 'eve')));
  });
  afterAll(async () => {
    await store?.close();
    await server?.stop();
  });

  test('every filter of any nesting selects what a naive reading of the contract selects', async () => {
    const ids = candidates.map(({ id }) => id);
    await fc.assert(
      fc.asyncProperty(filterArbitrary(ids.slice(0, 30), 3), async (filter) => {
        const { items } = await store.listDocuments(scope, { filter, orderBy: 'TITLE', first: 100 });
        const expected = candidates.filter((candidate) => matches(filter, candidate)).map(({ id }) => id);
        expect(items.map(({ node }) => node.id).sort()).toEqual(expected.sort());
      }),
      { numRuns: 250 },
    );
  });

  test('null, a missing key and an array of nothing but null are the same to eq, ne and bounds', async () => {
    const key = (condition: Omit<MetadataCondition, 'key'>): DocumentFilter => ({
      metadata: [{ key: 'n', ...condition }],
    });
    const without = candidates.filter(({ metadata }) => [metadata.n ?? null].flat().every((value) => value === null));
    expect(without.length).toBeGreaterThan(5);
    for (const filter of [key({ ne: 12345 }), key({ nin: [12345] }), { not: key({ gte: -1e9 }) }]) {
      const { items } = await store.listDocuments(scope, { filter, orderBy: 'TITLE', first: 100 });
      const found = new Set(items.map(({ node }) => node.id));
      for (const { id } of without) expect(found.has(id)).toBe(true);
    }
  });

  test.each([
    [{ metadata: [{ key: 'undeclared', eq: 1 }] }, /"undeclared" is not declared filterable \(declared: s, n, b, d\)/],
    [{ metadata: [{ key: 'constructor', eq: 1 }] }, /not declared filterable/],
    [{ not: { metadata: [{ key: 'n', gt: 'a' }] } }, /declared as number: expected a number, got a string/],
    [{ metadata: [{ key: 'd', gt: '2024-05-01' }] }, /RFC 3339/],
    [{ metadata: [{ key: 'd', eq: 'yesterday' }] }, /RFC 3339/],
  ] as [DocumentFilter, RegExp][])('%j is refused with its reason', async (filter, message) => {
    await expect(store.countDocuments(scope, filter)).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
    await expect(store.countDocuments(scope, filter)).rejects.toThrow(message);
  });

  test('a key that is still being copied to documents is INDEX_NOT_READY, naming it', () => {
    const keys = { declared: filterable, pending: new Set(['n']) };
    expect(documentFilterMql({ metadata: [{ key: 's', eq: 'a' }] }, keys)).toBeTruthy();
    expect(() => documentFilterMql({ metadata: [{ key: 'n', eq: 1 }] }, keys)).toThrow(
      expect.objectContaining({ code: 'INDEX_NOT_READY', details: { key: 'n' } }),
    );
  });

  test.each(['UPDATED_NEWEST', 'CREATED_NEWEST', 'TITLE'] as DocumentOrder[])(
    'pages of any size by %s join to one list without repeats, gaps or disorder, ties included',
    async (orderBy) => {
      const whole = (await store.listDocuments(scope, { orderBy, first: 100 })).items.map(({ node }) => node);
      expect(whole).toHaveLength(90);
      for (const first of [1, 7, 89, 90]) {
        const walked: string[] = [];
        let after: string | undefined;
        for (;;) {
          const page = await store.listDocuments(scope, { orderBy, first, ...(after !== undefined && { after }) });
          walked.push(...page.items.map(({ node }) => node.id));
          if (!page.hasNextPage) break;
          after = page.items.at(-1)?.cursor;
        }
        expect(walked).toEqual(whole.map(({ id }) => id));
      }
      const key = { UPDATED_NEWEST: 'updatedAt', CREATED_NEWEST: 'createdAt', TITLE: 'title' } as const;
      const sorted = [...whole].sort((a, b) => {
        if (orderBy === 'TITLE') return normalizeTitle(a.title) < normalizeTitle(b.title) ? -1 : 1;
        const field = key[orderBy] as 'updatedAt';
        return b[field].getTime() - a[field].getTime() || (a.id < b.id ? 1 : -1);
      });
      expect(whole.map(({ id }) => id)).toEqual(sorted.map(({ id }) => id));
    },
  );

  test('a cursor of another order or filter, a changed one, and rubbish are refused', async () => {
    const list = (args: object) => store.listDocuments(scope, { orderBy: 'TITLE', first: 1, ...args });
    const [item] = (await list({})).items;
    const after = item?.cursor as string;
    expect((await list({ after })).items).toHaveLength(1);
    const wrong = [
      { after, orderBy: 'UPDATED_NEWEST' },
      { after, filter: { hasLastError: true } },
      { after: `${after.slice(0, -1)}${after.endsWith('A') ? 'B' : 'A'}` },
      { after: `${after}=` },
      { after: 'abc' },
      { after: '' },
    ];
    for (const args of wrong) await expect(list(args)).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
    await expect(store.listChunks(scope, item?.node.id as string, { first: 1, after })).rejects.toMatchObject({
      code: 'BAD_USER_INPUT',
    });
  });

  test('lookups by many ids keep their order, with null for absent and malformed ones', async () => {
    const [a, b] = candidates as [Candidate, Candidate];
    const found = await store.documentsByIds(scope, [
      b.id,
      'JGL-24423/TL',
      a.id.toUpperCase(),
      new ObjectId().toHexString(),
      b.id,
    ]);
    expect(found.map((document) => document?.id ?? null)).toEqual([b.id, null, a.id, null, b.id]);
    expect(await store.document(scope, { id: 'JGL-24423/TL' })).toBeNull();
    // Twelve characters that the driver would have taken for an id.
    expect(await store.document(scope, { id: 'twelve chars' })).toBeNull();
  });

  test('the three forms of the visibility rule agree for every row and version', async () => {
    const rows = store.database.db.collection('visibility');
    const versions = [0, 1, 2, 3];
    const all = versions.flatMap((from) =>
      [undefined, ...versions].map((to) => ({ from_version: from, ...(to !== undefined && { to_version: to }) })),
    );
    await rows.insertMany(all);
    for (const version of versions) {
      const expected = (await rows.find().toArray())
        .filter((row) => isLive(row as never, version))
        .map(({ _id }) => String(_id));
      expect((await rows.find(liveAt(version) as never).toArray()).map(({ _id }) => String(_id))).toEqual(expected);
      const byExpression = await rows
        .aggregate([{ $set: { document: { version } } }, { $match: { $expr: liveExpression('$document.version') } }])
        .toArray();
      expect(byExpression.map(({ _id }) => String(_id))).toEqual(expected);
    }
  });
});
