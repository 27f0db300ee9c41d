import { rm } from 'node:fs/promises';
import type { RecordId } from '../../storage/engine.js';
import { Bitmap } from '../bitmap.js';
import type { FieldValues } from '../filter/field-values.js';
import { ActiveSegment } from './active-segment.js';
import type { CodeMemory } from './code-memory.js';
import { CodeStore } from './code-store.js';
import { type Codec, createCodec, NORM_AT } from './codec.js';
import { readColumns } from './columns.js';
import { DamagedIndex } from './damaged-index.js';
import { graphShape, openGraph } from './graph.js';
import type { LaneQuery, LaneSpec } from './lane.js';
import { LANE_LIMITS, type LaneLimits } from './lane-limits.js';
import { searchLane } from './lane-search.js';
import { nextUpkeep, type Upkeep } from './merge-policy.js';
import { type LaneFiles, openSegment, sealedSegment } from './open-segment.js';
import { ReadEpochs } from './read-epochs.js';
import type { RowBatch } from './row-batch.js';
import { writeSegment } from './seal.js';
import type { SealedSegment, SegmentMark } from './sealed-segment.js';
import type { Segment } from './segment.js';
import { readVerified, SEGMENT_FILES, segmentPath } from './segment-files.js';
import { usearch } from './usearch.js';
import type { VectorValue } from './vector-value.js';
import { runGraphBuild, runMerge } from './worker-jobs.js';

export interface LaneOptions {
  readonly directory: string;
  readonly spec: LaneSpec;
  readonly memory: CodeMemory;
  /** A segment id that was never used in this directory. */
  readonly nextSegmentId: () => string;
  readonly limits?: LaneLimits;
}

/** What must be written so that a restart finds the lane as it is now; see lane-state.ts. */
export interface LaneDelta {
  readonly segments: readonly SegmentMark[];
  /** Dead rows of segments whose dead rows changed. */
  readonly dead: readonly { readonly segmentId: string; readonly words: Uint32Array }[];
  /** Segments that are gone, with their dead rows. */
  readonly goneSegmentIds: readonly string[];
  /** The active segment started over: batches written before are void. */
  readonly restartsBatches: boolean;
  readonly batch: RowBatch;
}

/**
 * The rows of one kind of vector under one path, as a log-structured merge: an active segment in memory, sealed ones in
 * files. One caller at a time changes it (put, remove, makeRoom, upkeep's last step); searches run beside that.
 */
export class VectorLane {
  readonly spec: LaneSpec;
  readonly codec: Codec;
  readonly #options: LaneOptions;
  readonly #limits: LaneLimits;
  readonly #store: CodeStore;
  readonly #epochs = new ReadEpochs();
  #active: ActiveSegment;
  #sealed: SealedSegment[] = [];
  /** Rows of the active segment below this are in batches. */
  #batchedRows = 0;
  #removedSinceBatch: RecordId[] = [];
  #restartsBatches = false;
  #gone: SealedSegment[] = [];

  constructor(options: LaneOptions) {
    const { spec, memory } = options;
    this.#options = options;
    this.#limits = options.limits ?? LANE_LIMITS;
    this.spec = spec;
    this.codec = createCodec(spec.kind, spec.dimensions, spec.similarity, spec.quantization);
    this.#store = new CodeStore(memory, this.codec.slotBytes);
    this.#active = this.#newActive();
  }

  get rowCount(): number {
    return this.#sealed.reduce((sum, { liveCount }) => sum + liveCount, this.#active.liveCount);
  }

  get isFull(): boolean {
    return this.#active.isFull;
  }

  /** For reports and tests: rows and graphs of the sealed segments. */
  get sealedSegments(): readonly { readonly size: number; readonly liveCount: number; readonly hasGraph: boolean }[] {
    return this.#sealed.map(({ size, liveCount, graph }) => ({ size, liveCount, hasGraph: graph !== undefined }));
  }

  /** Adds or replaces; there must be room. */
  put(recordId: RecordId, vector: VectorValue['data'], values: readonly FieldValues[]): void {
    this.remove(recordId);
    const { code, scalars } = this.codec.encode(vector);
    this.#active.add({ recordId, vector, values }, this.#store.put(code), scalars);
  }

  remove(recordId: RecordId): void {
    const active = this.#active.rowOf(recordId);
    if (active >= 0) {
      this.#active.kill(active);
      if (active < this.#batchedRows) this.#removedSinceBatch.push(recordId);
    }
    for (const segment of this.#sealed) {
      const row = segment.rowOf(recordId);
      if (row >= 0) segment.kill(row);
    }
  }

  /** Empties a full active segment: seals it, or writes it anew when most of its rows are dead. */
  async makeRoom(): Promise<void> {
    const old = this.#active;
    const rows = old.liveRows();
    if (rows.length * 2 < old.size) {
      this.#active = this.#newActive();
      for (const row of rows) {
        this.#active.add(old.row(row), old.addresses[row] as number, this.#scalarsOf(old, row));
      }
    } else {
      const { spec, codec } = this;
      const { directory, memory } = this.#options;
      const segmentId = this.#options.nextSegmentId();
      const { columns, marks } = await writeSegment({ directory, segmentId, spec, codec, memory, active: old, rows });
      const addresses = Uint32Array.from(rows, (row) => old.addresses[row] as number);
      const dead = new Bitmap(rows.length);
      this.#sealed.push(await sealedSegment(this.#files, { id: segmentId, ...marks }, columns, addresses, dead));
      this.#active = this.#newActive();
    }
    const kept = new Set(rows);
    const freed = Array.from({ length: old.size }, (_, row) => row).filter((row) => !kept.has(row));
    this.#freeSlots(freed.map((row) => old.addresses[row] as number));
    this.#batchedRows = 0;
    this.#removedSinceBatch = [];
    this.#restartsBatches = true;
  }

  async search(query: LaneQuery): Promise<{ recordId: RecordId; score: number }[]> {
    const reader = this.#epochs.begin();
    try {
      const segments: Segment[] = [this.#active, ...this.#sealed].filter(({ size }) => size > 0);
      return await searchLane(
        { codec: this.codec, memory: this.#options.memory, segments, limits: this.#limits },
        query,
      );
    } finally {
      this.#epochs.end(reader);
    }
  }

  /** What changed since the last delta that was written. `written` is to be called when it is durable. */
  delta(): { delta: LaneDelta; written: () => Promise<void> } {
    const active = this.#active;
    const size = active.size;
    const from = this.#batchedRows;
    const rows = Array.from({ length: size - from }, (_, i) => from + i).filter((row) => !active.dead.has(row));
    const changed = this.#sealed.filter(({ hasNewDead }) => hasNewDead);
    const gone = this.#gone;
    const delta: LaneDelta = {
      segments: this.#sealed.map(({ mark }) => ({ ...mark })),
      dead: changed.map(({ mark, dead }) => ({ segmentId: mark.id, words: dead.words.slice() })),
      goneSegmentIds: gone.map(({ mark }) => mark.id),
      restartsBatches: this.#restartsBatches,
      batch: { removed: this.#removedSinceBatch, rows: rows.map((row) => active.row(row)) },
    };
    for (const segment of changed) segment.hasNewDead = false;
    this.#batchedRows = size;
    this.#removedSinceBatch = [];
    this.#restartsBatches = false;
    this.#gone = [];
    const written = async (): Promise<void> => {
      for (const { mark } of gone) await removeSegmentFiles(this.#options.directory, mark.id);
    };
    return { delta, written };
  }

  /** Takes up what deltas left. @throws DamagedIndex */
  async restore(
    marks: readonly SegmentMark[],
    deadWords: (segmentId: string) => Uint32Array | undefined,
    batches: Iterable<RowBatch>,
  ): Promise<void> {
    for (const mark of marks) this.#sealed.push(await openSegment(this.#files, mark, this.#store, deadWords(mark.id)));
    for (const { removed, rows } of batches) {
      for (const recordId of removed) this.remove(recordId);
      for (const { recordId, vector, values } of rows) {
        if (this.isFull) throw new DamagedIndex('an active segment has more rows than it can hold');
        this.put(recordId, vector, values);
      }
    }
    this.#batchedRows = this.#active.size;
    this.#removedSinceBatch = [];
  }

  /** `isQuiet`: no rows are coming in, so that what is built now stays. */
  nextUpkeep(isQuiet: boolean): Upkeep {
    const { indexingMethod, kind } = this.spec;
    // usearch is loaded only when a graph is worth it.
    const buildsGraphs = indexingMethod === 'hnsw' && kind !== 'packedBit' && this.#isGraphWorthy;
    return nextUpkeep(this.#sealed, this.#active.liveCount, this.#limits, {
      isQuiet,
      buildsGraphs: buildsGraphs && usearch() !== undefined,
    });
  }

  get #isGraphWorthy(): boolean {
    return this.rowCount >= this.#limits.graphRows;
  }

  /**
   * Merges or builds in a worker, then puts the result in place at once. `seal` alone must not run beside other changes.
   */
  async keepUp(upkeep: NonNullable<Upkeep>, signal: AbortSignal): Promise<void> {
    if (upkeep.do === 'seal') return this.makeRoom();
    if (upkeep.do === 'merge') return this.#merge(upkeep.segments, signal);
    const { segment } = upkeep;
    const { spec } = this;
    const { directory } = this.#options;
    const shape = graphShape(spec, this.#hasUnitLengths(segment));
    const { id } = segment.mark;
    const mark = await runGraphBuild(
      { type: 'graph', directory, spec, segmentId: id, rows: segment.size, shape },
      signal,
    );
    const graph = await openGraph(segmentPath(directory, id, 'graph'), mark, spec);
    segment.mark.graph = mark;
    segment.graph = graph;
  }

  /** No search may be running. */
  close(): void {
    for (const segment of this.#sealed) segment.close();
    this.#sealed = [];
    this.#active = this.#newActive();
    this.#store.close();
  }

  async #merge(segments: readonly SealedSegment[], signal: AbortSignal): Promise<void> {
    const { spec, codec } = this;
    const { directory } = this.#options;
    if (segments.every(({ liveCount }) => liveCount === 0)) return this.#replace(segments, undefined);

    const deadAtStart = segments.map(({ dead }) => dead.copy());
    const targetId = this.#options.nextSegmentId();
    const { columns, codes, sourceOf, rowOf } = await runMerge(
      {
        type: 'merge',
        directory,
        spec,
        codeBytes: codec.codeBytes,
        scalarsPerRow: codec.scalarsPerRow,
        sources: segments.map(({ mark }, i) => ({ mark, deadWords: (deadAtStart[i] as Bitmap).words })),
        targetId,
      },
      signal,
    );
    const read = readColumns(
      await readVerified(segmentPath(directory, targetId, 'columns'), columns),
      spec.filterPaths.length,
    );
    const addresses = new Uint32Array(rowOf.length);
    for (let row = 0; row < rowOf.length; row++) {
      const source = segments[sourceOf[row] as number] as SealedSegment;
      addresses[row] = source.addresses[rowOf[row] as number] as number;
    }
    const merged = await sealedSegment(
      this.#files,
      { id: targetId, columns, codes },
      read,
      addresses,
      new Bitmap(rowOf.length),
    );
    // From here on nothing waits: rows that died while the worker was busy are dead in the new segment too.
    for (let row = 0; row < rowOf.length; row++) {
      const source = segments[sourceOf[row] as number] as SealedSegment;
      if (source.dead.has(rowOf[row] as number)) merged.kill(row);
    }
    this.#replace(segments, merged);
    this.#freeSlots(
      segments.flatMap((segment, i) =>
        Array.from((deadAtStart[i] as Bitmap).rows(), (row) => segment.addresses[row] as number),
      ),
    );
  }

  #replace(old: readonly SealedSegment[], by: SealedSegment | undefined): void {
    this.#sealed = this.#sealed.filter((segment) => !old.includes(segment));
    if (by !== undefined) this.#sealed.push(by);
    else this.#freeSlots(old.flatMap(({ addresses }) => [...addresses]));
    this.#gone.push(...old);
    this.#epochs.defer(() => {
      for (const segment of old) segment.close();
    });
  }

  #freeSlots(addresses: readonly number[]): void {
    this.#epochs.defer(() => this.#store.free(addresses));
  }

  /** Whether all vectors have length 1, within what float32 loses. */
  #hasUnitLengths({ size, scalars }: SealedSegment): boolean {
    const { scalarsPerRow } = this.codec;
    // Only codes that keep lengths can tell; where angles are compared, lengths do not matter.
    if (this.spec.kind !== 'float32' || scalarsPerRow <= NORM_AT) return false;
    for (let row = 0; row < size; row++) {
      if (Math.abs((scalars[row * scalarsPerRow + NORM_AT] as number) - 1) > 1e-3) return false;
    }
    return true;
  }

  get #files(): LaneFiles {
    return { directory: this.#options.directory, spec: this.spec, codec: this.codec };
  }

  #newActive(): ActiveSegment {
    return new ActiveSegment(this.spec.filterPaths, this.codec.scalarsPerRow, this.#limits.activeRows);
  }

  #scalarsOf({ scalars }: ActiveSegment, row: number): number[] {
    const { scalarsPerRow } = this.codec;
    return [...scalars.subarray(row * scalarsPerRow, (row + 1) * scalarsPerRow)];
  }
}

export async function removeSegmentFiles(directory: string, segmentId: string): Promise<void> {
  for (const file of SEGMENT_FILES) await rm(segmentPath(directory, segmentId, file), { force: true });
}
