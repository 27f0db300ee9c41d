import type { RecordId } from '../../storage/engine.js';
import type { Bitmap } from '../bitmap.js';
import type { SealedPostings } from '../filter/sealed-postings.js';
import type { Columns } from './columns.js';
import type { Graph } from './graph.js';
import type { Segment } from './segment.js';
import type { FileMark, VectorFile } from './segment-files.js';

/** What the manifest remembers of a sealed segment. */
export interface SegmentMark {
  readonly id: string;
  readonly columns: FileMark;
  readonly codes: FileMark;
  graph?: GraphMark;
}

export interface GraphMark extends FileMark {
  readonly shape: GraphShape;
}

/** How a graph compares vectors, and what it keeps of them. */
export interface GraphShape {
  readonly metric: 'cos' | 'ip' | 'l2sq';
  readonly scalar: 'i8' | 'f16';
}

/** A segment whose rows are in files, in ascending order of their records; only its dead rows and its graph change. */
export class SealedSegment implements Segment {
  readonly mark: SegmentMark;
  readonly size: number;
  readonly dead: Bitmap;
  readonly postings: ReadonlyMap<string, SealedPostings>;
  readonly addresses: Uint32Array;
  readonly scalars: Float64Array;
  readonly recordIds: Float64Array;
  graph: Graph | undefined;
  /** Dead rows that the manifest does not know of yet. */
  hasNewDead = false;
  liveCount: number;
  readonly #vectors: VectorFile | undefined;

  constructor(options: {
    mark: SegmentMark;
    columns: Columns;
    filterPaths: readonly string[];
    addresses: Uint32Array;
    vectors: VectorFile | undefined;
    dead: Bitmap;
    graph?: Graph | undefined;
  }) {
    const { columns, dead } = options;
    this.mark = options.mark;
    this.recordIds = columns.recordIds;
    this.size = columns.recordIds.length;
    this.scalars = columns.scalars;
    this.postings = new Map(options.filterPaths.map((path, i) => [path, columns.postings[i] as SealedPostings]));
    this.addresses = options.addresses;
    this.#vectors = options.vectors;
    this.dead = dead;
    this.liveCount = this.size - dead.count();
    this.graph = options.graph;
  }

  recordIdOf(row: number): RecordId {
    return this.recordIds[row] as number;
  }

  rowOf(recordId: RecordId): number {
    let low = 0;
    let high = this.size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.recordIds[middle] as number) < recordId) low = middle + 1;
      else high = middle;
    }
    return low < this.size && this.recordIds[low] === recordId && !this.dead.has(low) ? low : -1;
  }

  kill(row: number): void {
    this.dead.add(row);
    this.liveCount--;
    this.hasNewDead = true;
  }

  vectorOf(row: number): Float32Array {
    if (this.#vectors === undefined) throw new Error('This lane keeps no vectors beside its codes');
    return this.#vectors.read(row);
  }

  close(): void {
    this.#vectors?.close();
  }
}
