import type { LaneLimits } from './lane-limits.js';
import type { SealedSegment } from './sealed-segment.js';

/** What to do next with the segments of a lane; undefined: nothing. Merges come first, as they make graphs useless. */
export type Upkeep =
  | { readonly do: 'seal' }
  | { readonly do: 'merge'; readonly segments: readonly SealedSegment[] }
  | { readonly do: 'graph'; readonly segment: SealedSegment }
  | undefined;

/** Segments of about the same size are merged when there are this many: each row is written once per factor of it. */
const MERGE_FACTOR = 4;
/** Beyond this a graph takes too long to build: larger lanes have several segments of this size. */
const SEGMENT_ROWS_MAX = 1_000_000;
/** A segment with a larger share of dead rows is written anew: they cost a search as much as live ones. */
const DEAD_SHARE_MAX = 0.2;
/**
 * In a quiet moment all segments become one, rows in memory included, when a larger share of the rows has no graph: one graph
 * is asked faster than several, and much faster than rows are scanned.
 */
const UNGRAPHED_SHARE_MAX = 0.2;
/** Rows in memory that are few beside a full active segment are left there. */
const ACTIVE_SHARE_MIN = 0.1;
/** While rows stream in, graphs wait until so many times `graphRows` have none: what is built then may soon be merged away. */
const UNGRAPHED_BUSY_FACTOR = 5;

export function nextUpkeep(
  segments: readonly SealedSegment[],
  activeCount: number,
  limits: LaneLimits,
  { isQuiet, buildsGraphs }: { isQuiet: boolean; buildsGraphs: boolean },
): Upkeep {
  const decayed = segments.find(({ size, liveCount }) => size - liveCount > size * DEAD_SHARE_MAX);
  if (decayed !== undefined) return { do: 'merge', segments: [decayed] };

  const tiers = [...new Set(segments.map((segment) => tierOf(segment, limits)))].sort((a, b) => a - b);
  for (const tier of tiers) {
    const together = segments.filter((segment) => tierOf(segment, limits) === tier).slice(0, MERGE_FACTOR);
    const rows = together.reduce((sum, { liveCount }) => sum + liveCount, 0);
    if (together.length === MERGE_FACTOR && rows <= SEGMENT_ROWS_MAX) return { do: 'merge', segments: together };
  }

  const rest = segments.filter(({ graph }) => graph === undefined);
  const sealable = activeCount >= limits.activeRows * ACTIVE_SHARE_MIN ? activeCount : 0;
  const total = segments.reduce((sum, { liveCount }) => sum + liveCount, sealable);
  const ungraphed = rest.reduce((sum, { liveCount }) => sum + liveCount, sealable);
  if (!buildsGraphs || (!isQuiet && ungraphed < limits.graphRows * UNGRAPHED_BUSY_FACTOR)) return undefined;
  const isWorthOne = total >= limits.graphRows && ungraphed > total * UNGRAPHED_SHARE_MAX;
  if (isQuiet && isWorthOne && total <= SEGMENT_ROWS_MAX) {
    if (sealable > 0) return { do: 'seal' };
    if (segments.length > 1) return { do: 'merge', segments };
  }

  const [largest] = segments
    .filter(({ graph, size }) => graph === undefined && size >= limits.graphRows)
    .sort((a, b) => b.size - a.size);
  return largest !== undefined ? { do: 'graph', segment: largest } : undefined;
}

/** 0 up to a full active segment, then one more per factor. */
function tierOf({ liveCount }: SealedSegment, { activeRows }: LaneLimits): number {
  return Math.max(0, Math.floor(Math.log(liveCount / activeRows) / Math.log(MERGE_FACTOR) + 0.1));
}
