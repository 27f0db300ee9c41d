import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Doc } from '../../bson/values.js';
import type { Engine } from '../../storage/engine.js';
import { fieldValues, valuesAt } from '../filter/field-values.js';
import { backgroundPacer } from '../pace.js';
import { SearchFailure } from '../search-failure.js';
import type { SearchIndexInstance, SearchOutcome } from '../search-index.js';
import type { CodeMemory } from './code-memory.js';
import { DamagedIndex } from './damaged-index.js';
import type { VectorField, VectorIndexDefinition } from './definition.js';
import type { LaneSpec } from './lane.js';
import type { LaneLimits } from './lane-limits.js';
import { INDEX_FORMAT, type IndexState, indexState, type KeyspaceChange, type LaneManifest } from './lane-state.js';
import { checkAgainst } from './vector-checks.js';
import { VectorLane } from './vector-lane.js';
import type { VectorQuery } from './vector-query.js';
import { isZero, type VectorKind, type VectorValue, vectorOf } from './vector-value.js';

/** Graphs are built when nothing was written for so long: while rows stream in, segments do not stay. */
const GRAPH_QUIET_MS = 2_000;
/** Upkeep that fails is tried again with the next occasion, this often. */
const UPKEEP_FAILURES_MAX = 3;

type Changes = Parameters<SearchIndexInstance['apply']>[0];

interface OpenLane {
  readonly name: string;
  readonly lane: VectorLane;
  manifest: LaneManifest;
}

/**
 * One build of a vectorSearch index: a lane per vector path and kind, their state in the keyspace and their files in a folder
 * of the build's own. A document has a row in each lane that its vectors belong to.
 */
export class VectorIndex implements SearchIndexInstance {
  checkpoint = 0;
  readonly #definition: VectorIndexDefinition;
  readonly #filterPaths: readonly (readonly string[])[];
  readonly #directory: string;
  readonly #state: IndexState;
  readonly #memory: CodeMemory;
  readonly #onLost: (error: unknown) => void;
  readonly #limits: LaneLimits | undefined;
  readonly #lanes: OpenLane[] = [];
  readonly #closing = new AbortController();
  #nextSegment = 0;
  #writes: Promise<void> = Promise.resolve();
  /** Rows come, go or are sealed by one after the other. */
  #changes: Promise<void> = Promise.resolve();
  #upkeep: Promise<void> | undefined;
  #quietTimer: NodeJS.Timeout | undefined;
  #lastChangeAt = 0;
  #failures = 0;

  private constructor(options: VectorIndexOptions) {
    this.#definition = options.definition;
    this.#filterPaths = options.definition.filterPaths.map((path) => path.split('.'));
    this.#directory = buildDirectory(options.engine, options.buildId);
    this.#state = indexState(options.engine.keyspace(KEYSPACE), options.buildId);
    this.#memory = options.memory;
    this.#onLost = options.onLost;
    this.#limits = options.limits;
  }

  /** @throws DamagedIndex when what was kept is not whole: the build is lost then. */
  static async open(options: VectorIndexOptions): Promise<VectorIndex> {
    const index = new VectorIndex(options);
    try {
      await index.#restore();
    } catch (error) {
      for (const { lane } of index.#lanes) lane.close();
      throw error;
    }
    index.#startUpkeep();
    return index;
  }

  get rowCount(): number {
    return Math.max(0, ...this.#lanes.map(({ lane }) => lane.rowCount));
  }

  /** For reports and tests: the sealed segments of all lanes. */
  get sealedSegments(): VectorLane['sealedSegments'] {
    return this.#lanes.flatMap(({ lane }) => lane.sealedSegments);
  }

  apply(changes: Changes): Promise<void> {
    return this.#changing(() => this.#apply(changes));
  }

  async #apply(changes: Changes): Promise<void> {
    this.#lastChangeAt = performance.now();
    let sealed = false;
    for (const { recordId, doc } of changes) {
      for (const { lane } of this.#lanes) lane.remove(recordId);
      if (doc !== undefined) {
        for (const { lane, vector } of this.#vectorsOf(doc)) {
          if (lane.isFull) {
            await lane.makeRoom();
            sealed = true;
          }
          const values = this.#filterPaths.map((path) => fieldValues(doc, path));
          lane.put(recordId, vector, values);
        }
      }
      await backgroundPacer.pause();
    }
    if (sealed) await this.#write(this.checkpoint);
    this.#startUpkeep();
  }

  async search(query: VectorQuery, checkInterrupted: () => void): Promise<SearchOutcome> {
    const { field, vector } = checkAgainst(query, this.#definition);
    const name = laneName(field, vector.kind);
    const lane = this.#lanes.find((candidate) => candidate.name === name)?.lane;
    const { limit, numCandidates, filter, parentFilter } = query;
    try {
      const hits = await lane?.search({
        vector,
        limit,
        numCandidates,
        filter: parentFilter.op === 'all' ? filter : { op: 'and', nodes: [filter, parentFilter] },
        checkInterrupted,
      });
      return {
        hits: hits ?? [],
        metaOf: ({ score }) => ({ score, vectorSearchScore: score }),
        metaReadsDocument: false,
      };
    } catch (error) {
      if (!(error instanceof DamagedIndex)) throw error;
      this.#onLost(error);
      throw new SearchFailure(`cannot query vector index ${query.index} while in state INITIAL_SYNC`);
    }
  }

  persist(commitNumber: number): Promise<void> {
    return this.#write(commitNumber);
  }

  /** Merges and builds graphs until nothing is left to do, without waiting for a quiet moment. */
  async settle(): Promise<void> {
    await this.#upkeep;
    this.#upkeep = this.#runUpkeep(() => true);
    await this.#upkeep;
  }

  async close(): Promise<void> {
    clearTimeout(this.#quietTimer);
    this.#closing.abort(new Error('The index is closing'));
    await this.#upkeep;
    await this.#writes.catch(() => {});
    for (const { lane } of this.#lanes) lane.close();
  }

  async #restore(): Promise<void> {
    await mkdir(this.#directory, { recursive: true });
    const manifest = this.#state.manifest();
    if (manifest !== undefined && manifest.format !== INDEX_FORMAT) {
      throw new DamagedIndex(`format ${manifest.format} where this version writes ${INDEX_FORMAT}`);
    }
    this.checkpoint = manifest?.checkpoint ?? 0;
    this.#nextSegment = manifest?.nextSegment ?? 0;
    await this.#removeStrayFiles(manifest?.lanes ?? []);
    for (const [position, laneManifest] of (manifest?.lanes ?? []).entries()) {
      const { lane } = this.#addLane(laneManifest);
      await lane.restore(
        laneManifest.segments,
        (segmentId) => this.#state.deadRows(segmentId),
        this.#state.batches(position, laneManifest),
      );
    }
  }

  /** Files that no manifest names: left by a crash in the middle of a seal, a merge or a graph. */
  async #removeStrayFiles(lanes: readonly LaneManifest[]): Promise<void> {
    const known = new Set(lanes.flatMap(({ segments }) => segments.map(({ id }) => id)));
    for (const name of await readdir(this.#directory)) {
      const [segmentId = '', , temporary] = name.split('.');
      if (!known.has(segmentId) || temporary !== undefined) await rm(join(this.#directory, name), { force: true });
    }
  }

  *#vectorsOf(doc: Doc): Generator<{ lane: VectorLane; vector: VectorValue['data'] }> {
    for (const field of this.#definition.vectors) {
      const vector = indexableVector(field, doc);
      if (vector === undefined) continue;
      const name = laneName(field, vector.kind);
      const known = this.#lanes.find((lane) => lane.name === name);
      const { lane } =
        known ??
        this.#addLane({
          spec: laneSpec(field, vector.kind, this.#definition.filterPaths),
          path: field.path,
          segments: [],
          firstBatch: 0,
          nextBatch: 0,
        });
      yield { lane, vector: vector.data };
    }
  }

  #changing(change: () => Promise<void>): Promise<void> {
    const result = this.#changes.then(change);
    this.#changes = result.catch(() => {});
    return result;
  }

  #addLane(manifest: LaneManifest): OpenLane {
    const lane = new VectorLane({
      directory: this.#directory,
      spec: manifest.spec,
      memory: this.#memory,
      nextSegmentId: () => `s${this.#nextSegment++}`,
      ...(this.#limits && { limits: this.#limits }),
    });
    const open: OpenLane = { name: `${manifest.spec.kind}:${manifest.path}`, lane, manifest };
    this.#lanes.push(open);
    return open;
  }

  /** Writes all that changed, with a checkpoint, in one commit; one write after the other. */
  #write(checkpoint: number): Promise<void> {
    const write = this.#writes.then(async () => {
      const changes: KeyspaceChange[] = [];
      const afterwards: (() => Promise<void>)[] = [];
      // All lanes at one moment; encoding takes its time afterwards.
      const deltas = this.#lanes.map((open) => ({ open, ...open.lane.delta() }));
      for (const [position, { open, delta, written }] of deltas.entries()) {
        const applied = await this.#state.apply(position, open.manifest, delta);
        open.manifest = applied.after;
        changes.push(...applied.changes);
        afterwards.push(written);
      }
      const lanes = deltas.map(({ open }) => open.manifest);
      const highest = Math.max(checkpoint, this.checkpoint);
      const nextSegment = this.#nextSegment;
      await this.#state.write({ format: INDEX_FORMAT, checkpoint: highest, nextSegment, lanes }, changes);
      this.checkpoint = highest;
      for (const written of afterwards) await written();
    });
    this.#writes = write;
    return write;
  }

  /** In the background: at once for merges, in a quiet moment for graphs. */
  #startUpkeep(): void {
    if (this.#closing.signal.aborted || this.#failures >= UPKEEP_FAILURES_MAX) return;
    if (this.#upkeep === undefined && this.#lanes.some(({ lane }) => lane.nextUpkeep(this.#isQuiet()) !== undefined)) {
      this.#upkeep = this.#runUpkeep(() => this.#isQuiet());
    }
    clearTimeout(this.#quietTimer);
    this.#quietTimer = setTimeout(() => this.#startUpkeep(), GRAPH_QUIET_MS);
    if (this.#isQuiet()) clearTimeout(this.#quietTimer);
    this.#quietTimer.unref();
  }

  #isQuiet(): boolean {
    return performance.now() - this.#lastChangeAt >= GRAPH_QUIET_MS;
  }

  async #runUpkeep(mayBuildGraphs: () => boolean): Promise<void> {
    const { signal } = this.#closing;
    try {
      for (let found = true; found; ) {
        found = false;
        for (const { lane } of this.#lanes) {
          const upkeep = lane.nextUpkeep(mayBuildGraphs());
          if (upkeep === undefined || signal.aborted) continue;
          if (upkeep.do === 'seal') await this.#changing(() => lane.keepUp(upkeep, signal));
          else await lane.keepUp(upkeep, signal);
          await this.#write(this.checkpoint);
          found = true;
        }
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof DamagedIndex) return this.#onLost(error);
      this.#failures++;
      process.emitWarning('Upkeep of a vector index failed: its searches stay right, and may take longer', {
        code: 'POCKET_ATLAS_UPKEEP',
        detail: error instanceof Error ? error.message : String(error),
      });
    } finally {
      this.#upkeep = undefined;
    }
  }
}

export interface VectorIndexOptions {
  readonly engine: Engine;
  readonly buildId: string;
  readonly definition: VectorIndexDefinition;
  readonly memory: CodeMemory;
  readonly onLost: (error: unknown) => void;
  readonly limits?: LaneLimits;
}

const KEYSPACE = 'search-vectors';

function buildDirectory(engine: Engine, buildId: string): string {
  return join(engine.dataDir, 'search-vectors', buildId);
}

/** Removes all that a build kept. */
export async function discardVectorIndex(engine: Engine, buildId: string): Promise<void> {
  await rm(buildDirectory(engine, buildId), { recursive: true, force: true });
  await indexState(engine.keyspace(KEYSPACE), buildId).remove();
}

function laneName(field: VectorField, kind: VectorKind): string {
  return `${kind}:${field.path}`;
}

function laneSpec(field: VectorField, kind: VectorKind, filterPaths: readonly string[]): LaneSpec {
  return {
    kind,
    dimensions: field.numDimensions,
    similarity: field.similarity,
    quantization: field.quantization,
    indexingMethod: field.indexingMethod,
    maxEdges: field.maxEdges,
    numEdgeCandidates: field.numEdgeCandidates,
    filterPaths,
  };
}

/**
 * The first vector under the path, when the index can hold it. A first one that cannot be held is not replaced by a later
 * one, and nobody is told (ATLAS.md §1.8).
 */
function indexableVector(field: VectorField, doc: Doc): VectorValue | undefined {
  const vector = valuesAt(doc, field.path.split('.'))
    .map(vectorOf)
    .find((candidate) => candidate !== undefined);
  if (vector === undefined || vector.dimensions !== field.numDimensions) return undefined;
  if (vector.kind === 'packedBit') {
    return field.similarity === 'euclidean' && field.quantization === 'none' ? vector : undefined;
  }
  if (vector.kind === 'int8' && field.quantization !== 'none') return undefined;
  return field.similarity === 'cosine' && isZero(vector) ? undefined : vector;
}
