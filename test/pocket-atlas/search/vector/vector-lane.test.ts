import { describe, expect, it, onTestFinished } from 'vitest';
import { pseudoRandom, subjectVectors } from '../../../../bench/vector-search/subject-vectors.js';
import { fieldValues } from '../../../../src/pocket-atlas/search/filter/field-values.js';
import { parseFilter } from '../../../../src/pocket-atlas/search/filter/filter-language.js';
import { codeMemory } from '../../../../src/pocket-atlas/search/vector/code-memory.js';
import type { LaneSpec } from '../../../../src/pocket-atlas/search/vector/lane.js';
import { VectorLane } from '../../../../src/pocket-atlas/search/vector/vector-lane.js';
import type { VectorValue } from '../../../../src/pocket-atlas/search/vector/vector-value.js';
import { temporaryDirectory } from '../../storage/temporary-directory.js';

const DIMENSIONS = 32;
/** A tenth of the real ones: lanes of a few thousand rows are sealed, merged and searched through graphs. */
const LIMITS = { activeRows: 500, exactRows: 1_000, graphRows: 1_000, graphCost: 7 };
const spec: LaneSpec = {
  kind: 'float32',
  dimensions: DIMENSIONS,
  similarity: 'cosine',
  quantization: 'none',
  indexingMethod: 'hnsw',
  maxEdges: 16,
  numEdgeCandidates: 100,
  filterPaths: ['owner'],
};

function openLane(changes: Partial<LaneSpec> = {}, directory = temporaryDirectory()) {
  let segments = 0;
  const lane = new VectorLane({
    directory,
    spec: { ...spec, ...changes },
    memory: codeMemory(),
    nextSegmentId: () => `s${segments++}`,
    limits: LIMITS,
  });
  onTestFinished(() => lane.close());
  return lane;
}

async function put(lane: VectorLane, recordId: number, vector: VectorValue['data'], owner = 'a'): Promise<void> {
  if (lane.isFull) await lane.makeRoom();
  lane.put(recordId, vector, [fieldValues({ owner }, ['owner'])]);
}

async function settle(lane: VectorLane): Promise<void> {
  const { signal } = new AbortController();
  for (let next = lane.nextUpkeep(true); next !== undefined; next = lane.nextUpkeep(true)) {
    await lane.keepUp(next, signal);
  }
}

async function search(lane: VectorLane, vector: Float32Array, options: { owner?: string; exact?: boolean } = {}) {
  const hits = await lane.search({
    vector: { kind: 'float32', dimensions: vector.length, data: vector },
    limit: 10,
    numCandidates: options.exact ? null : 200,
    filter: parseFilter(options.owner === undefined ? {} : { owner: options.owner }),
    checkInterrupted: () => {},
  });
  return hits.map(({ recordId }) => recordId);
}

/** The records nearest to a query by cosine of unit vectors, in plain JavaScript. */
function nearest(
  query: Float32Array,
  rows: ReadonlyMap<number, Float32Array>,
  isOwn: (recordId: number) => boolean = () => true,
): number[] {
  const best: { recordId: number; dot: number }[] = [];
  for (const [recordId, vector] of rows) {
    if (!isOwn(recordId)) continue;
    let dot = 0;
    for (let i = 0; i < query.length; i++) dot += query[i]! * vector[i]!;
    if (best.length === 10 && dot <= best[9]!.dot) continue;
    best.push({ recordId, dot });
    best.sort((a, b) => b.dot - a.dot);
    best.length = Math.min(10, best.length);
  }
  return best.map(({ recordId }) => recordId);
}

describe('a lane under change', () => {
  it.each([400, 4_000])('of %i rows finds each live vector first, and no dead one', async (count) => {
    const vectors = subjectVectors(DIMENSIONS, 20, 1);
    const lane = openLane();
    const live = new Map<number, Float32Array>();
    for (let recordId = 1; recordId <= count; recordId++) {
      live.set(recordId, vectors.next(recordId % vectors.subjects));
      await put(lane, recordId, live.get(recordId)!);
    }
    await settle(lane);
    const dead: Float32Array[] = [];
    for (let recordId = 1; recordId <= count; recordId++) {
      if (recordId % 2 === 0) {
        dead.push(live.get(recordId)!);
        live.delete(recordId);
        lane.remove(recordId);
      } else if (recordId % 3 === 0) {
        dead.push(live.get(recordId)!);
        live.set(recordId, vectors.next(recordId % vectors.subjects));
        await put(lane, recordId, live.get(recordId)!);
      }
    }
    const check = async () => {
      expect(lane.rowCount).toBe(live.size);
      for (const [recordId, vector] of live) {
        if (recordId % 7 === 1) expect((await search(lane, vector))[0]).toBe(recordId);
      }
      for (const vector of dead.slice(0, 100)) {
        const found = await search(lane, vector, { exact: true });
        expect(found).toEqual(nearest(vector, live));
      }
    };
    await check();
    await settle(lane);
    for (const { size, liveCount } of lane.sealedSegments) expect(liveCount).toBeGreaterThanOrEqual(size * 0.8);
    await check();
  });

  it('keeps searches right while segments are merged under them', async () => {
    const vectors = subjectVectors(DIMENSIONS, 5, 2);
    const lane = openLane();
    const live = new Map<number, Float32Array>();
    for (let recordId = 1; recordId <= 1_801; recordId++) {
      live.set(recordId, vectors.next(recordId % 5));
      await put(lane, recordId, live.get(recordId)!);
    }
    let busy = true;
    const upkeep = settle(lane).finally(() => {
      busy = false;
    });
    let searches = 0;
    while (busy) {
      for (const [recordId, vector] of live) {
        expect((await search(lane, vector, { exact: true }))[0]).toBe(recordId);
        searches++;
        if (live.size > 500) {
          lane.remove(recordId);
          live.delete(recordId);
        }
        await new Promise((resolve) => setImmediate(resolve));
        if (!busy) break;
      }
    }
    await upkeep;
    expect(searches).toBeGreaterThan(0);
    expect(lane.rowCount).toBe(live.size);
  });

  it('does not fill segments with dead rows when the same records change again and again', async () => {
    const lane = openLane();
    const random = pseudoRandom(3);
    const vector = () => Float32Array.from({ length: DIMENSIONS }, () => random() - 0.5);
    for (let change = 0; change < 2_000; change++) await put(lane, 1 + (change % 50), vector());
    expect(lane.rowCount).toBe(50);
    expect(lane.sealedSegments).toEqual([]);
  });
});

describe('recall@10 at numCandidates = 200', () => {
  const ROWS = 4_000;
  const QUERIES = 40;
  const owners = { half: 2, tenth: 10, hundredth: 100 };

  it.each([
    ['on the same subjects', (_: number, random: () => number) => Math.floor(random() * 50)],
    // Tenants of a share of the rows write about subjects that others do not touch.
    ['on different subjects', (row: number) => (row % 100) % 50],
  ])('is at least 0.99 for tenants %s, with every filter', async (_, subjectOf) => {
    const vectors = subjectVectors(DIMENSIONS, 50, 4);
    const random = pseudoRandom(5);
    const directory = temporaryDirectory();
    const lane = openLane({ filterPaths: ['all', ...Object.keys(owners)] }, directory);
    const rows = new Map<number, Float32Array>();
    for (let row = 0; row < ROWS; row++) {
      const vector = vectors.next(subjectOf(row, random));
      rows.set(row + 1, vector);
      if (lane.isFull) await lane.makeRoom();
      const tenant = (share: number) => fieldValues({ t: row % share }, ['t']);
      lane.put(row + 1, vector, [tenant(1), ...Object.values(owners).map(tenant)]);
    }
    await settle(lane);
    expect(lane.sealedSegments.some(({ hasGraph }) => hasGraph)).toBe(true);

    for (const [field, share] of [['all', 1], ...Object.entries(owners)] as [string, number][]) {
      let found = 0;
      for (let query = 0; query < QUERIES; query++) {
        const vector = vectors.next(query % 50);
        const tenant = (query * 37) % share;
        const hits = await lane.search({
          vector: { kind: 'float32', dimensions: DIMENSIONS, data: vector },
          limit: 10,
          numCandidates: 200,
          filter: parseFilter({ [field]: tenant }),
          checkInterrupted: () => {},
        });
        const isOwn = (recordId: number) => (recordId - 1) % share === tenant;
        const expected = new Set(nearest(vector, rows, isOwn));
        found += hits.filter(({ recordId }) => expected.has(recordId)).length;
      }
      expect.soft(found / (QUERIES * 10), `recall with a filter on ${field}`).toBeGreaterThanOrEqual(0.99);
    }
  });

  it.each([
    ['scalar', 0.99],
    ['binary', 0.9],
  ] as const)('holds with %s quantization', async (quantization, floor) => {
    const vectors = subjectVectors(128, 50, 6);
    const lane = openLane({ dimensions: 128, quantization });
    const rows = new Map<number, Float32Array>();
    for (let recordId = 1; recordId <= 3_000; recordId++) {
      rows.set(recordId, vectors.next(recordId % 50));
      await put(lane, recordId, rows.get(recordId)!);
    }
    let found = 0;
    for (let query = 0; query < QUERIES; query++) {
      const vector = vectors.next(query % 50);
      const expected = nearest(vector, rows);
      const hits = await search(lane, vector);
      found += hits.filter((recordId) => expected.includes(recordId)).length;
      if (query < 10) expect(await search(lane, vector, { exact: true })).toEqual(expected);
    }
    expect(found / (QUERIES * 10)).toBeGreaterThanOrEqual(floor);
  });
});

describe('a lane of other vectors', () => {
  it.each(['dotProduct', 'euclidean'] as const)('of any length is exact and has a graph for %s', async (similarity) => {
    const lane = openLane({ similarity });
    const random = pseudoRandom(7);
    const rows = new Map<number, Float32Array>();
    for (let recordId = 1; recordId <= 1_801; recordId++) {
      const length = 0.5 + random();
      rows.set(
        recordId,
        Float32Array.from({ length: DIMENSIONS }, () => (random() - 0.5) * length),
      );
      await put(lane, recordId, rows.get(recordId)!);
    }
    await settle(lane);
    expect(lane.sealedSegments).toEqual([{ size: 1_801, liveCount: 1_801, hasGraph: true }]);
    const value = (query: Float32Array, vector: Float32Array) => {
      let sum = 0;
      for (let i = 0; i < query.length; i++) {
        sum += similarity === 'dotProduct' ? query[i]! * vector[i]! : -((query[i]! - vector[i]!) ** 2);
      }
      return sum;
    };
    let found = 0;
    for (let query = 0; query < 20; query++) {
      const vector = Float32Array.from({ length: DIMENSIONS }, () => random() - 0.5);
      const valued = Array.from(rows, ([recordId, row]) => ({ recordId, value: value(vector, row) }));
      const expected = valued
        .sort((a, b) => b.value - a.value)
        .slice(0, 10)
        .map(({ recordId }) => recordId);
      expect(await search(lane, vector, { exact: true })).toEqual(expected);
      found += (await search(lane, vector)).filter((recordId) => expected.includes(recordId)).length;
    }
    expect(found / 200).toBeGreaterThanOrEqual(0.99);
  });

  it('of int8 has a graph of its own', async () => {
    const lane = openLane({ kind: 'int8', similarity: 'euclidean' });
    const random = pseudoRandom(8);
    const rows = new Map<number, Int8Array>();
    for (let recordId = 1; recordId <= 1_801; recordId++) {
      rows.set(
        recordId,
        Int8Array.from({ length: DIMENSIONS }, () => Math.floor(random() * 256) - 128),
      );
      await put(lane, recordId, rows.get(recordId)!);
    }
    await settle(lane);
    expect(lane.sealedSegments).toEqual([{ size: 1_801, liveCount: 1_801, hasGraph: true }]);
    for (const [recordId, data] of [...rows].slice(0, 50)) {
      const hits = await lane.search({
        vector: { kind: 'int8', dimensions: DIMENSIONS, data },
        limit: 1,
        numCandidates: 100,
        filter: { op: 'all' },
        checkInterrupted: () => {},
      });
      expect(hits).toEqual([{ recordId, score: 1 }]);
    }
  });
});
