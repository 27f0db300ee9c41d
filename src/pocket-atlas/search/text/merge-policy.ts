import type { Segment } from './index/segment.js';

/** This many segments of one size class become one: a row is then rewritten about log₈(rows) times. */
const MERGE_FACTOR = 8;
/** A segment of which more is dead is rewritten by itself. */
const MAX_DEAD_SHARE = 0.2;
/** Below this size dead rows cost nothing worth a rewrite. */
const MIN_ROWS_TO_REWRITE = 1_000;

/** The segments to merge next, in index order; undefined when all is well. */
export function segmentsToMerge(segments: readonly Segment[]): readonly Segment[] | undefined {
  const classes = new Map<number, Segment[]>();
  for (const segment of segments) {
    const sizeClass = Math.floor(Math.log(Math.max(1, segment.rowCount)) / Math.log(MERGE_FACTOR));
    const members = classes.get(sizeClass) ?? [];
    members.push(segment);
    if (members.length === MERGE_FACTOR) return members;
    classes.set(sizeClass, members);
  }
  const mostlyDead = segments.find(
    (segment) => segment.rowCount >= MIN_ROWS_TO_REWRITE && segment.deleted.count() > segment.rowCount * MAX_DEAD_SHARE,
  );
  return mostlyDead === undefined ? undefined : [mostlyDead];
}
