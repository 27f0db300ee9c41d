import { COLUMN_GAP, type Row, rowsOf, type Segment } from './pdf-rows.js';

/** Fewer rows beside each other are no columns. */
const MIN_ROWS = 3;
/** Columns of text are filled with it by this share at least; tables and forms are emptier. */
const MIN_FILL = 0.5;
/** Mean characters of a row of a column. */
const MIN_LENGTH = 14;
/** Columns of columns; a page has no more. */
const MAX_DEPTH = 6;

interface Gap {
  readonly left: number;
  readonly right: number;
}

/** A stack of rows that share gutters, or have none. */
interface Band {
  readonly rows: Row[];
  gutters: Gap[];
  left: number;
  right: number;
}

/**
 * Rows in the order in which a page is read: columns one after another, each from top to bottom, what spans them before or
 * after; tables row by row. Each inner list is a column or what lies between columns.
 */
export function readingOrder(segments: readonly Segment[], depth = 0): Row[][] {
  const rows = rowsOf(segments);
  if (depth >= MAX_DEPTH || rows.length < MIN_ROWS) return [rows];
  const blocks: Row[][] = [];
  for (const band of bandsOf(rows)) {
    const gutter = columnGutter(band);
    if (gutter === null) {
      // what follows a row without gutters goes on with it: one block, so that paragraphs are told alike
      blocks.push(band.rows);
      continue;
    }
    const all = band.rows.flatMap((row) => row.segments);
    blocks.push(
      ...readingOrder(all.filter(isLeftOf(gutter)), depth + 1),
      ...readingOrder(
        all.filter((segment) => !isLeftOf(gutter)(segment)),
        depth + 1,
      ),
    );
  }
  return blocks;
}

const isLeftOf = (gutter: Gap) => (segment: Segment) => segment.right <= gutter.left + 0.01;

/** From top to bottom: a row that would close the last gutter of a band begins another. */
function bandsOf(rows: readonly Row[]): Band[] {
  const bands: Band[] = [];
  for (const row of rows) {
    const own = bandOf(row);
    const band = bands.at(-1);
    const shared = band && guttersWith(band, own);
    if (!band || !shared || (shared.length === 0 && (band.gutters.length > 0 || own.gutters.length > 0))) {
      bands.push(own);
      continue;
    }
    band.rows.push(row);
    band.gutters = shared;
    band.left = Math.min(band.left, own.left);
    band.right = Math.max(band.right, own.right);
  }
  return bands;
}

function bandOf(row: Row): Band {
  const gutters: Gap[] = [];
  let right = row.segments[0]!.right;
  for (const segment of row.segments.slice(1)) {
    if (segment.left - right >= COLUMN_GAP * row.height) gutters.push({ left: right, right: segment.left });
    right = Math.max(right, segment.right);
  }
  return { rows: [row], gutters, left: row.segments[0]!.left, right };
}

/** What stays free when both are laid over each other, text on both sides of it. */
function guttersWith(one: Band, other: Band): Gap[] {
  const left = Math.min(one.left, other.left);
  const right = Math.max(one.right, other.right);
  const height = Math.min(one.rows[0]!.height, other.rows[0]!.height);
  const gaps: Gap[] = [];
  for (const a of withMargins(one))
    for (const b of withMargins(other)) {
      const gap = { left: Math.max(a.left, b.left), right: Math.min(a.right, b.right) };
      if (gap.right - gap.left >= COLUMN_GAP * height && gap.left > left && gap.right < right) gaps.push(gap);
    }
  return gaps;
}

function withMargins({ gutters, left, right }: Band): Gap[] {
  return [
    { left: Number.NEGATIVE_INFINITY, right: left },
    ...gutters,
    { left: right, right: Number.POSITIVE_INFINITY },
  ];
}

/** The leftmost gutter with running text on both sides; null in a table. */
function columnGutter(band: Band): Gap | null {
  if (band.rows.length < MIN_ROWS) return null;
  return (
    band.gutters.find((gutter) => {
      const isLeft = isLeftOf(gutter);
      const left = sideOf(band.rows.map((row) => row.segments.filter(isLeft)));
      const right = sideOf(band.rows.map((row) => row.segments.filter((segment) => !isLeft(segment))));
      return isRunningText(left) && isRunningText(right);
    }) ?? null
  );
}

interface Side {
  readonly rows: number;
  /** Share of its width that its text takes. */
  readonly fill: number;
  readonly length: number;
}

function sideOf(rows: readonly (readonly Segment[])[]): Side {
  const used = rows.filter((row) => row.length > 0);
  const segments = used.flat();
  const left = Math.min(...segments.map((segment) => segment.left));
  const right = Math.max(...segments.map((segment) => segment.right));
  const taken = segments.reduce((sum, segment) => sum + segment.right - segment.left, 0);
  const length = segments.reduce((sum, segment) => sum + textWidth(segment.text), 0);
  return { rows: used.length, fill: taken / (used.length * (right - left)), length: length / used.length };
}

function isRunningText({ rows, fill, length }: Side): boolean {
  return rows >= MIN_ROWS && fill >= MIN_FILL && length >= MIN_LENGTH;
}

/** In characters of Latin text; an ideograph is as wide as two. */
function textWidth(text: string): number {
  return text.length + (text.match(/[\u2e80-\u9fff\uac00-\ud7af\uff00-\uffef]/g)?.length ?? 0);
}
