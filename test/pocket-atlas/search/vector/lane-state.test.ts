import { describe, expect, it } from 'vitest';
import type { LaneSpec } from '../../../../src/pocket-atlas/search/vector/lane.js';
import { indexState, type LaneManifest } from '../../../../src/pocket-atlas/search/vector/lane-state.js';
import type { LaneDelta } from '../../../../src/pocket-atlas/search/vector/vector-lane.js';
import { memoryEngine } from '../text/text-index-support.js';

const DIMENSIONS = 2_048;
const spec: LaneSpec = {
  kind: 'float32',
  dimensions: DIMENSIONS,
  similarity: 'cosine',
  quantization: 'none',
  indexingMethod: 'hnsw',
  maxEdges: 16,
  numEdgeCandidates: 100,
  filterPaths: [],
};
const empty: LaneManifest = { spec, path: 'v', segments: [], firstBatch: 0, nextBatch: 0 };

function deltaOf(recordIds: readonly number[]): LaneDelta {
  const rows = recordIds.map((recordId) => ({
    recordId,
    vector: new Float32Array(DIMENSIONS).fill(recordId),
    values: [],
  }));
  return { segments: [], dead: [], goneSegmentIds: [], restartsBatches: false, batch: { removed: [], rows } };
}

const manifestOf = (lane: LaneManifest) => ({ format: 2, checkpoint: 1, nextSegment: 0, lanes: [lane] });
const recordsOf = (state: ReturnType<typeof indexState>, lane: LaneManifest): number[] =>
  [...state.batches(0, lane)].flatMap(({ rows }) => rows.map(({ recordId }) => recordId));

describe('rows of an active segment in the keyspace', () => {
  const many = Array.from({ length: 300 }, (_, i) => i + 1);

  it('are values of about a megabyte each', async () => {
    const engine = memoryEngine();
    const state = indexState(engine.keyspace('any'), 'build');
    const { after } = await state.apply(0, empty, deltaOf(many));
    expect(after.nextBatch).toBe(Math.ceil((many.length * DIMENSIONS * 4) / 2 ** 20));
    for (const value of engine.entries.values()) expect(value.length).toBeLessThan(1.1 * 2 ** 20);
    expect(recordsOf(state, after)).toEqual(many);
  });

  it('that were written ahead of a crash are not read, and written over by the next', async () => {
    const engine = memoryEngine();
    const before = indexState(engine.keyspace('any'), 'build');
    const first = await before.apply(0, empty, deltaOf([1, 2]));
    await before.write(manifestOf(first.after), first.changes);
    await before.apply(0, first.after, deltaOf(many));

    const restarted = indexState(engine.keyspace('any'), 'build');
    const [lane] = restarted.manifest()!.lanes as [LaneManifest];
    expect(recordsOf(restarted, lane)).toEqual([1, 2]);
    const next = await restarted.apply(0, lane, deltaOf([3]));
    await restarted.write(manifestOf(next.after), next.changes);
    expect(recordsOf(restarted, restarted.manifest()!.lanes[0]!)).toEqual([1, 2, 3]);
  });
});
