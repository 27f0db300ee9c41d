import type { Keyspace } from '../../storage/engine.js';
import { backgroundPacer } from '../pace.js';
import { DamagedIndex } from './damaged-index.js';
import type { LaneSpec } from './lane.js';
import { decodeBatch, encodeBatch, type RowBatch } from './row-batch.js';
import type { SegmentMark } from './sealed-segment.js';
import type { LaneDelta } from './vector-lane.js';

/**
 * What an index remembers in the keyspace, besides the files of its segments: a manifest, the dead rows of each segment, and
 * the rows of active segments as batches. What the manifest names changes in one commit together with the checkpoint, so a
 * crash finds the state of one moment.
 */
export interface IndexManifest {
  readonly format: number;
  readonly checkpoint: number;
  /** Segment ids from here on were never used. */
  readonly nextSegment: number;
  readonly lanes: readonly LaneManifest[];
}

export interface LaneManifest {
  readonly spec: LaneSpec;
  readonly path: string;
  readonly segments: readonly SegmentMark[];
  /** Batches are numbered from `firstBatch` up to, not including, `nextBatch`. */
  readonly firstBatch: number;
  readonly nextBatch: number;
}

export type KeyspaceChange = { key: Uint8Array; value: Uint8Array | null };

export interface IndexState {
  manifest(): IndexManifest | undefined;
  deadRows(segmentId: string): Uint32Array | undefined;
  batches(lane: number, manifest: LaneManifest): Generator<RowBatch>;
  /**
   * Writes the rows of a lane's delta ahead; returns the changes to commit with the manifest, and what it then says of the
   * lane.
   */
  apply(
    lane: number,
    before: LaneManifest,
    delta: LaneDelta,
  ): Promise<{ after: LaneManifest; changes: KeyspaceChange[] }>;
  write(manifest: IndexManifest, changes: readonly KeyspaceChange[]): Promise<void>;
  remove(): Promise<void>;
}

/** Vectors of one value of the keyspace: what is encoded, checked and committed in one go. */
const BATCH_BYTES = 1 << 20;

/** A batch in pieces; what was removed goes first, and nothing makes no piece. */
function parts({ removed, rows }: RowBatch): RowBatch[] {
  if (removed.length === 0 && rows.length === 0) return [];
  const rowsPerBatch = Math.max(1, Math.floor(BATCH_BYTES / (rows[0]?.vector.byteLength ?? 1)));
  const pieces: RowBatch[] = [{ removed, rows: rows.slice(0, rowsPerBatch) }];
  for (let from = rowsPerBatch; from < rows.length; from += rowsPerBatch) {
    pieces.push({ removed: [], rows: rows.slice(from, from + rowsPerBatch) });
  }
  return pieces;
}

/** Of files and entries; what another format wrote is built again from the records. */
export const INDEX_FORMAT = 2;

/** Keys removed in one commit. */
const REMOVE_KEYS = 1_000;

export function indexState(keyspace: Keyspace, buildId: string): IndexState {
  const key = (...parts: (string | number)[]) => Buffer.from([buildId, ...parts].join('/'), 'latin1');
  const manifestKey = key('manifest');
  const deadKey = (segmentId: string) => key('dead', segmentId);
  const batchKey = (lane: number, batch: number) => key('rows', lane, batch);

  return {
    manifest() {
      const value = keyspace.get(manifestKey);
      return value === undefined ? undefined : (JSON.parse(Buffer.from(value).toString()) as IndexManifest);
    },
    deadRows(segmentId) {
      const value = keyspace.get(deadKey(segmentId));
      // A copy: the keyspace's bytes need not be aligned.
      return value && new Uint32Array(Uint8Array.from(value).buffer);
    },
    *batches(lane, { spec, firstBatch, nextBatch }) {
      const bytesPerVector = { float32: spec.dimensions * 4, int8: spec.dimensions, packedBit: spec.dimensions / 8 };
      const shape = { kind: spec.kind, vectorBytes: bytesPerVector[spec.kind], fieldCount: spec.filterPaths.length };
      for (let batch = firstBatch; batch < nextBatch; batch++) {
        const value = keyspace.get(batchKey(lane, batch));
        if (value === undefined) throw new DamagedIndex(`batch ${batch} of build ${buildId} is missing`);
        yield decodeBatch(value, shape);
      }
    },
    async apply(lane, before, delta) {
      const changes: KeyspaceChange[] = [];
      let { firstBatch, nextBatch } = before;
      if (delta.restartsBatches) {
        for (; firstBatch < nextBatch; firstBatch++) changes.push({ key: batchKey(lane, firstBatch), value: null });
      }
      // Nothing reads a batch before the manifest names it, so they need not share its commit: all of an active segment in
      // one would hold up everybody, and a batch that a crash left is written over.
      for (const batch of parts(delta.batch)) {
        await backgroundPacer.pause();
        await keyspace.commit([{ key: batchKey(lane, nextBatch++), value: encodeBatch(batch) }]);
      }
      for (const { segmentId, words } of delta.dead) {
        changes.push({ key: deadKey(segmentId), value: new Uint8Array(words.buffer) });
      }
      for (const segmentId of delta.goneSegmentIds) changes.push({ key: deadKey(segmentId), value: null });
      return { after: { ...before, segments: delta.segments, firstBatch, nextBatch }, changes };
    },
    write: (manifest, changes) =>
      keyspace.commit([...changes, { key: manifestKey, value: Buffer.from(JSON.stringify(manifest)) }]),
    async remove() {
      const keys = Array.from(keyspace.range(key(''), key('\xff')), (entry) => Uint8Array.from(entry.key));
      for (let from = 0; from < keys.length; from += REMOVE_KEYS) {
        await keyspace.commit(keys.slice(from, from + REMOVE_KEYS).map((entry) => ({ key: entry, value: null })));
      }
    },
  };
}
