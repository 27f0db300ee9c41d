import type { LaneSpec } from './lane.js';
import type { GraphMark, GraphShape } from './sealed-segment.js';
import { type FileMark, verified } from './segment-files.js';
import { type NativeIndex, type Usearch, usearch } from './usearch.js';

/** A hierarchical navigable small world graph over the rows of one sealed segment, mapped from its file. */
export interface Graph {
  /** The rows nearest to the query, nearest first, at most k. See LaneLimits.graphCost for what it costs. */
  search(query: Int8Array | Float32Array, k: number): Uint32Array;
  readonly shape: GraphShape;
}

/** usearch widens the search to k by itself: this matters for smaller k only. */
const EXPANSION_SEARCH = 64;

export function newNativeIndex(library: Usearch, spec: LaneSpec, shape: GraphShape): NativeIndex {
  const { dimensions, maxEdges, numEdgeCandidates } = spec;
  return new library.CompiledIndex(
    dimensions,
    shape.metric,
    shape.scalar,
    maxEdges,
    numEdgeCandidates,
    EXPANSION_SEARCH,
    false,
  );
}

/**
 * int8 codes of a row are its vector divided by a scale of its own. That leaves angles alone, and where all vectors have
 * length 1 they order like the other similarities. Otherwise the graph keeps the vectors in float16.
 */
export function graphShape(spec: LaneSpec, isUnitLength: boolean): GraphShape {
  const metrics = { cosine: 'cos', dotProduct: 'ip', euclidean: 'l2sq' } as const;
  if (spec.kind === 'int8') return { metric: metrics[spec.similarity], scalar: 'i8' };
  if (spec.similarity === 'cosine' || isUnitLength) return { metric: 'cos', scalar: 'i8' };
  return { metric: metrics[spec.similarity], scalar: 'f16' };
}

/** undefined without usearch. @throws DamagedIndex before the library sees a file that is not whole. */
export async function openGraph(path: string, mark: GraphMark, spec: LaneSpec): Promise<Graph | undefined> {
  const library = usearch();
  if (library === undefined) return undefined;
  await verified(path, mark satisfies FileMark);
  const index = newNativeIndex(library, spec, mark.shape);
  index.view(path);
  return {
    shape: mark.shape,
    search(query, k) {
      const [keys, , counts] = index.search(query, k, 1);
      const rows = new Uint32Array(Number(counts[0]));
      // Beyond the count the arrays are padding, not hits. A row fits in the low half of its key.
      const halves = new Uint32Array(keys.buffer, keys.byteOffset, rows.length * 2);
      for (let i = 0; i < rows.length; i++) rows[i] = halves[i * 2] as number;
      return rows;
    },
  };
}
