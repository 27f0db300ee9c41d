import { readingOrder } from './pdf-columns.js';
import { isRightToLeft, type Row, segmentsOf, sizeOf } from './pdf-rows.js';
import { type PdfItem, runsByDirection } from './pdf-runs.js';

/** A step down to the next line that means a new paragraph: in steps of the column, and in heights of the line. */
const PARAGRAPH_STEPS = 1.35;
const PARAGRAPH_HEIGHTS = 1.5;
/** A heading is set larger than its text by this factor at least. */
const OTHER_SIZE = 1.2;

/**
 * The text of a page in the order in which it is read, whatever the order in which it was painted: columns one after
 * another, tables row by row, turned text at the end. Words that a line end cut are joined, paragraphs are told by
 * distance and size.
 */
export function pageText(items: readonly PdfItem[]): string {
  return runsByDirection(items)
    .flatMap((runs) => readingOrder(segmentsOf(runs)))
    .map(columnText)
    .filter((text) => text !== '')
    .join('\n\n');
}

function columnText(rows: readonly Row[]): string {
  const usual = medianStep(rows);
  let text = '';
  for (const [i, row] of rows.entries()) {
    const line = lineText(row);
    if (line === '') continue;
    const before = rows[i - 1];
    text = text === '' ? line : joined(text, line, before !== undefined && isParagraphBreak(before, row, usual));
  }
  return text;
}

function lineText(row: Row): string {
  const texts = row.segments.map((segment) => segment.text.trim());
  if (isRightToLeft(texts.join(''))) texts.reverse();
  return plainLetters(texts.join('  ').replace(/\s{3,}/g, '  '));
}

/** Ligatures and the shapes that Arabic letters take in a word are the letters themselves. */
function plainLetters(text: string): string {
  return text.replace(/[\ufb00-\ufb4f\ufb50-\ufdff\ufe70-\ufefc]+/g, (shapes) => shapes.normalize('NFKC'));
}

function medianStep(rows: readonly Row[]): number {
  const steps = rows.slice(1).map((row, i) => rows[i]!.base - row.base);
  return steps.sort((a, b) => a - b)[steps.length >> 1] ?? 0;
}

function isParagraphBreak(before: Row, row: Row, usual: number): boolean {
  const step = before.base - row.base;
  const sizes = sizeOf(before) / sizeOf(row);
  return (
    (step > usual * PARAGRAPH_STEPS && step > Math.min(before.height, row.height) * PARAGRAPH_HEIGHTS) ||
    sizes > OTHER_SIZE ||
    sizes < 1 / OTHER_SIZE
  );
}

const CUT_WORD = /\p{L}\p{M}*[-\u00ad\u2010]$/u;
const GOES_ON = /^\p{Ll}/u;

function joined(text: string, line: string, isParagraph: boolean): string {
  // a soft hyphen or a hyphen before a small letter was put there by the line end
  if (!isParagraph && CUT_WORD.test(text) && GOES_ON.test(line)) return text.slice(0, -1) + line;
  return `${text}${isParagraph ? '\n\n' : '\n'}${line}`;
}
