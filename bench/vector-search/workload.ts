import { type SubjectVectors, subjectVectors } from './subject-vectors.js';

/** What every contestant gets: the same vectors, queries, tenants and true answers. */
export interface Workload {
  readonly rows: number;
  readonly dimensions: number;
  readonly limit: number;
  readonly numCandidates: number;
  /** Row after row; the queries follow. */
  readonly vectors: Float32Array;
  readonly queryCount: number;
  readonly filters: readonly OwnerFilter[];
}

/** Rows of tenant t are those with row % share = t; query q asks as tenant q % share. */
export interface OwnerFilter {
  readonly field: string;
  readonly share: number;
}

/** Subjects of the made-up texts. */
const SUBJECTS = 200;

export function createWorkload(rows: number, dimensions: number, queryCount: number): Workload {
  const source: SubjectVectors = subjectVectors(dimensions, SUBJECTS, 1);
  const vectors = new Float32Array((rows + queryCount) * dimensions);
  // A subject's number has nothing to do with a tenant's: 7919 is prime.
  for (let row = 0; row < rows + queryCount; row++) {
    vectors.set(source.next(Math.floor((row * 7_919) / 3) % SUBJECTS), row * dimensions);
  }
  return {
    rows,
    dimensions,
    limit: 10,
    numCandidates: 200,
    vectors,
    queryCount,
    filters: [
      { field: 'all', share: 1 },
      { field: 'half', share: 2 },
      { field: 'tenth', share: 10 },
      { field: 'hundredth', share: 100 },
    ],
  };
}

export function vectorAt({ vectors, dimensions }: Workload, row: number): Float32Array {
  return vectors.subarray(row * dimensions, (row + 1) * dimensions);
}

export function queryAt(workload: Workload, query: number): Float32Array {
  return vectorAt(workload, workload.rows + query);
}

/** The true nearest rows of each query under a filter, by exact comparison. */
export function trueNeighbours(workload: Workload, { share }: OwnerFilter): Set<number>[] {
  const { rows, dimensions, limit, vectors } = workload;
  return Array.from({ length: workload.queryCount }, (_, number) => {
    const query = queryAt(workload, number);
    const best: { row: number; dot: number }[] = [];
    for (let row = number % share; row < rows; row += share) {
      let dot = 0;
      for (let i = 0, at = row * dimensions; i < dimensions; i++, at++) {
        dot += (query[i] as number) * (vectors[at] as number);
      }
      if (best.length === limit && dot <= (best[limit - 1] as { dot: number }).dot) continue;
      best.push({ row, dot });
      best.sort((a, b) => b.dot - a.dot);
      best.length = Math.min(limit, best.length);
    }
    return new Set(best.map(({ row }) => row));
  });
}

export function recall(found: readonly (readonly number[])[], truth: readonly Set<number>[]): number {
  const shares = truth.map((expected, query) => {
    const hits = (found[query] ?? []).filter((row) => expected.has(row)).length;
    return hits / Math.max(1, expected.size);
  });
  return shares.reduce((sum, share) => sum + share, 0) / Math.max(1, shares.length);
}
