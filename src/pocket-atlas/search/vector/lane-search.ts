import type { RecordId } from '../../storage/engine.js';
import type { Bitmap } from '../bitmap.js';
import { matchingRows } from '../filter/field-postings.js';
import { createPacer } from '../pace.js';
import { type Candidate, Candidates } from './candidates.js';
import { type CodeMemory, SCAN_ROWS } from './code-memory.js';
import type { Codec, PreparedQuery } from './codec.js';
import type { LaneQuery } from './lane.js';
import type { LaneLimits } from './lane-limits.js';
import type { Segment } from './segment.js';
import { TopHits } from './top-hits.js';

/**
 * The search of a lane. The filter becomes a bitmap of rows first; then the rows to compare are chosen, all of them or those
 * that a graph proposes; their codes say how near each can be; and the vectors of those that may be among the best decide.
 */

/** A graph is asked for at most this many at once, as it answers in one piece: about 15 ms at 512 dimensions. */
const GRAPH_K_MAX = 2_000;
const GRAPH_K_DIMENSIONS = 512;
/** More than the limit, so that one question to the graph is mostly enough where the limit is close to numCandidates. */
const LIMIT_SPARE = 1.2;
/** Vectors read between two looks at the clock. */
const READS_PER_LOOK = 16;

export interface SearchedLane {
  readonly codec: Codec;
  readonly memory: CodeMemory;
  readonly segments: readonly Segment[];
  readonly limits: LaneLimits;
}

export async function searchLane(
  { codec, memory, segments, limits }: SearchedLane,
  query: LaneQuery,
): Promise<{ recordId: RecordId; score: number }[]> {
  const pacer = createPacer();
  const pause = async (): Promise<void> => {
    if (!pacer.isDue()) return;
    await pacer.pause();
    query.checkInterrupted();
  };

  // As of now, in all segments at once: a record that is replaced meanwhile moves from one to another.
  const snapshot = segments.map(({ size, dead }) => ({ size, dead: dead.copy() }));
  const matching: Bitmap[] = [];
  for (const [position, { size, dead }] of snapshot.entries()) {
    const { postings } = segments[position] as Segment;
    matching.push((await matchingRows(query.filter, postings, size, pause)).andNot(dead));
  }
  const counts = matching.map((rows) => rows.count());
  const total = counts.reduce((sum, count) => sum + count, 0);
  const mayApproximate = query.numCandidates !== null && total > limits.exactRows;

  const prepared = codec.prepare(query.vector.data);
  const candidates = new Candidates(candidateCount(codec, query));
  const scan = createScan(memory, codec, prepared);
  for (const [position, segment] of segments.entries()) {
    const rows = matching[position] as Bitmap;
    const proposed = mayApproximate
      ? propose(segment, rows, counts[position] as number, codec, query, limits.graphCost)
      : undefined;
    const compared = proposed ?? rows.rows();
    for (let from = 0; from < compared.length; from += SCAN_ROWS) {
      scan(segment, position, compared.subarray(from, from + SCAN_ROWS), candidates);
      await pause();
    }
  }
  return rescored(codec, prepared, segments, candidates.sorted(), query.limit, pause);
}

/** How many of the best estimates decide: where they are bounded, the limit; else as many as are to be rescored. */
function candidateCount(codec: Codec, { limit, numCandidates }: LaneQuery): number {
  if (codec.accuracy !== 'unbounded') return limit;
  return numCandidates === null ? Number.POSITIVE_INFINITY : Math.max(limit, numCandidates);
}

/**
 * Rows that the graph finds near and the filter lets through; undefined where scanning the matching rows costs less. k is
 * chosen so that about numCandidates pass. A filter that has to do with the question may keep far fewer of the nearest: then k
 * grows until half of numCandidates pass, but never beyond the price of the scan.
 */
function propose(
  segment: Segment,
  matching: Bitmap,
  count: number,
  codec: Codec,
  query: LaneQuery,
  graphCost: number,
): Uint32Array | undefined {
  const { graph } = segment;
  if (graph === undefined || count === 0) return undefined;
  const { limit } = query;
  const wanted = Math.min(count, Math.max(query.numCandidates as number, Math.ceil(limit * LIMIT_SPARE)));
  const enough = Math.min(count, Math.max(limit, Math.ceil(wanted / 2)));
  const { data } = query.vector;
  const graphQuery = graph.shape.scalar === 'f16' ? (data as Float32Array) : codec.graphQuery(data);
  const largest = GRAPH_K_MAX * Math.min(1, GRAPH_K_DIMENSIONS / data.length);
  let spent = 0;
  let k = Math.ceil((wanted * segment.size) / count);
  for (;;) {
    k = Math.min(k, segment.size);
    spent += k;
    if (k > largest || spent * graphCost > count) return undefined;
    const rows = graph.search(graphQuery, k).filter((row) => matching.has(row));
    if (rows.length >= enough || k === segment.size) return rows;
    k = Math.ceil(k * Math.max(2, wanted / Math.max(1, rows.length)));
  }
}

/** For all searches, as each is done with them before the next begins: made anew they would cost more than a small scan. */
const addresses = new Uint32Array(SCAN_ROWS);
const estimates = new Float64Array(SCAN_ROWS);
const errors = new Float64Array(SCAN_ROWS);

/** Compares up to SCAN_ROWS rows in one go. */
function createScan(memory: CodeMemory, codec: Codec, prepared: PreparedQuery) {
  const hasErrors = codec.accuracy === 'bounded';
  return (segment: Segment, position: number, rows: Uint32Array, candidates: Candidates): void => {
    for (let i = 0; i < rows.length; i++) addresses[i] = segment.addresses[rows[i] as number] as number;
    const passed = addresses.subarray(0, rows.length);
    const sums = memory.compare(codec.comparison, passed, prepared.bytes, codec.slotBytes);
    if (!hasErrors) errors.fill(0, 0, rows.length);
    prepared.estimate(sums, rows, segment.scalars, estimates, errors);
    let { bar } = candidates;
    for (let i = 0; i < rows.length; i++) {
      if ((estimates[i] as number) + (errors[i] as number) < bar) continue;
      candidates.offer(position, rows[i] as number, estimates[i] as number, errors[i] as number);
      bar = candidates.bar;
    }
  };
}

/** The best `limit` by their true scores: of candidates that are in order, those that can still get in are read. */
async function rescored(
  codec: Codec,
  prepared: PreparedQuery,
  segments: readonly Segment[],
  sorted: readonly Candidate[],
  limit: number,
  pause: () => Promise<void>,
): Promise<{ recordId: RecordId; score: number }[]> {
  const best = new TopHits(limit);
  let reads = 0;
  for (const { segment, row, estimate, upper } of sorted) {
    const rows = segments[segment] as Segment;
    if (codec.accuracy === 'exact') {
      best.offer(rows.recordIdOf(row), codec.scoreOf(estimate));
      continue;
    }
    if (codec.accuracy === 'bounded' && codec.scoreOf(upper) < best.threshold) break;
    best.offer(rows.recordIdOf(row), codec.scoreOf(prepared.similarityOf(rows.vectorOf(row))));
    if (++reads % READS_PER_LOOK === 0) await pause();
  }
  return best.sorted();
}
