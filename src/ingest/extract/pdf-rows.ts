import type { Run } from './pdf-runs.js';

/** Runs that stand beside each other closely enough to be read in one go. */
export interface Segment {
  text: string;
  readonly left: number;
  right: number;
  base: number;
  /** Of its largest letters. */
  height: number;
  /** Height of its longest run: what it is set in, whatever signs stand between. */
  size: number;
  longest: number;
  isSpaced: boolean;
}

/** Segments of one height on the page, from left to right. */
export interface Row {
  base: number;
  height: number;
  readonly segments: Segment[];
}

/** Runs nearer than this, in heights, are letters of one word. */
const WORD_GAP = 0.15;
/** Runs farther than this apart, in heights, may belong to two columns. */
export const COLUMN_GAP = 0.9;
/** Share of the height by which two runs of one line may differ: signs above and below the line. */
const SAME_LINE = 0.5;

/** Height of the letters that most of a row is set in. */
export function sizeOf(row: Row): number {
  return row.segments.reduce((main, segment) => (segment.longest > main.longest ? segment : main)).size;
}

export function rowsOf(segments: readonly Segment[]): Row[] {
  const rows: Row[] = [];
  for (const segment of [...segments].sort((a, b) => b.base - a.base || a.left - b.left)) {
    const row = rows.at(-1);
    if (
      row &&
      row.base - segment.base < Math.min(Math.max(row.height, segment.height), 2 * segment.height) * SAME_LINE
    ) {
      row.segments.push(segment);
      // the line is where its largest letters stand
      if (segment.height > row.height * 1.05) Object.assign(row, { base: segment.base, height: segment.height });
    } else rows.push({ base: segment.base, height: segment.height, segments: [segment] });
  }
  for (const row of rows) row.segments.sort((a, b) => a.left - b.left);
  return rows;
}

/** Signs above and below the line stand off it by less than this, in heights of the larger. */
const OFF_LINE = 0.7;
/** A sign above the line is smaller by this factor. */
const SMALL = 0.85;

/** Joins runs to segments: first as they were painted, which keeps small signs with their words, then by their place. */
export function segmentsOf(runs: readonly Run[]): Segment[] {
  const chains: Segment[] = [];
  let before: Run | undefined;
  for (const run of runs) {
    const last = chains.at(-1);
    if (before && isRepeat(before, run)) continue;
    if (last && before && isNext(last, before, run)) append(last, run);
    else chains.push({ ...run, size: run.height, longest: run.text.length });
    before = run;
  }
  return rowsOf(chains).flatMap(joinedRow);
}

function joinedRow(row: Row): Segment[] {
  const segments: Segment[] = [];
  let last: Segment | undefined;
  for (const chain of row.segments) {
    const gap = last ? chain.left - last.right : 0;
    if (last && isRepeat(last, chain)) continue;
    if (last && gap < COLUMN_GAP * row.height && gap > -row.height) append(last, chain);
    else {
      last = { ...chain, base: row.base };
      segments.push(last);
    }
  }
  return segments;
}

/** Goes on where the one before ended, on the line or a little off it. */
function isNext(chain: Segment, before: Run, run: Run): boolean {
  const height = Math.max(chain.height, run.height);
  const gap = run.left - before.right;
  return gap > -0.3 * height && gap < COLUMN_GAP * height && Math.abs(run.base - chain.base) < OFF_LINE * height;
}

function append(segment: Segment, run: Run | Segment): void {
  const gap = run.left - segment.right;
  // the sign of a footnote and the note itself are two
  const isMark = segment.height < run.height * SMALL && segment.base - run.base > 0.1 * run.height;
  const isSpaced = segment.isSpaced || isMark || gap > WORD_GAP * Math.min(segment.height, run.height);
  segment.text = joinRuns(segment.text, run.text, isSpaced);
  segment.right = Math.max(segment.right, run.right);
  segment.isSpaced = run.isSpaced;
  const { size, longest } = 'size' in run ? run : { size: run.height, longest: run.text.length };
  if (longest > segment.longest) Object.assign(segment, { size, longest });
  if (run.height > segment.height) Object.assign(segment, { height: run.height, base: run.base });
}

const RTL = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/gu;
const LETTER = /\p{L}/gu;

export function isRightToLeft(text: string): boolean {
  const rtl = text.match(RTL)?.length ?? 0;
  return rtl > 0 && rtl * 2 >= (text.match(LETTER)?.length ?? 0);
}

/** In the order of reading: what is right of a right-to-left run comes before it. */
function joinRuns(left: string, right: string, isSpaced: boolean): string {
  const space = isSpaced && !/\s$/.test(left) && !/^\s/.test(right) ? ' ' : '';
  return isRightToLeft(left + right) ? right + space + left : left + space + right;
}

/** Painted twice: a shadow, a poor man's bold. */
function isRepeat(before: Run, run: Run): boolean {
  const near = 0.2 * run.height;
  return before.text === run.text && Math.abs(before.left - run.left) < near && Math.abs(before.base - run.base) < near;
}
