/** A run of text on a page as pdf.js gives it: `transform` ends with x and y of its beginning, y growing upwards. */
export interface PdfItem {
  readonly str: string;
  readonly dir: string;
  readonly transform: readonly number[];
  readonly width: number;
  readonly height: number;
  readonly hasEOL: boolean;
}

interface Line {
  readonly y: number;
  readonly height: number;
  left: number;
  right: number;
  text: string;
}

/** A gap between runs of one line that means a space, in heights of the line. */
const SPACE_GAP = 0.15;
/** A step down to the next line that means a new paragraph, in heights of the line. */
const PARAGRAPH_STEP = 1.8;

/**
 * The text of a page. Runs come in the order in which the page was written, which for born-digital files is the order of
 * reading, columns included; form fields, which come after all, are put where they stand. Words that a line end cut are
 * joined, paragraphs are told by their distance.
 */
export function pageText(items: readonly PdfItem[], fields: readonly PdfItem[]): string {
  const lines = toLines(items);
  for (const field of fields) addField(lines, field);
  let text = '';
  for (const [i, line] of lines.entries()) {
    const trimmed = line.text.trim();
    if (trimmed === '') continue;
    if (text === '') text = trimmed;
    else text = joined(text, trimmed, isParagraphBreak(lines[i - 1], line));
  }
  return text;
}

function toLines(items: readonly PdfItem[]): Line[] {
  const lines: Line[] = [];
  let line: Line | undefined;
  let ended = true;
  for (const item of items) {
    if (item.str === '') {
      ended ||= item.hasEOL;
      continue;
    }
    const x = item.transform[4]!;
    const y = item.transform[5]!;
    const height = item.height || Math.abs(item.transform[3]!) || Math.abs(item.transform[0]!) || 1;
    if (line === undefined || ended || !isOnLine(line, y, height)) {
      line = { y, height, left: x, right: x + item.width, text: item.str };
      lines.push(line);
    } else {
      const gap = x - line.right;
      const spaced = gap > line.height * SPACE_GAP && !/\s$/.test(line.text) && !/^\s/.test(item.str);
      line.text += (spaced ? ' ' : '') + item.str;
      line.right = Math.max(line.right, x + item.width);
      line.left = Math.min(line.left, x);
    }
    ended = item.hasEOL;
  }
  return lines;
}

function isOnLine(line: Line, y: number, height: number): boolean {
  return Math.abs(line.y - y) < Math.max(line.height, height) * 0.5;
}

/** Behind the line to its left at the same height, else before the first line that stands lower. */
function addField(lines: Line[], field: PdfItem): void {
  const x = field.transform[4]!;
  const y = field.transform[5]!;
  const label = lines.find((line) => isOnLine(line, y, field.height) && line.left <= x);
  if (label !== undefined) {
    label.text += ` ${field.str}`;
    return;
  }
  const below = lines.findIndex((line) => line.y < y);
  const line: Line = { y, height: field.height, left: x, right: x + field.width, text: field.str };
  lines.splice(below < 0 ? lines.length : below, 0, line);
}

function isParagraphBreak(before: Line | undefined, line: Line): boolean {
  if (before === undefined) return false;
  const step = before.y - line.y;
  return step < 0 || step > Math.max(before.height, line.height) * PARAGRAPH_STEP;
}

const CUT_WORD = /\p{L}\p{M}*[-\u00ad\u2010]$/u;
const GOES_ON = /^\p{Ll}/u;

function joined(text: string, line: string, isParagraph: boolean): string {
  // a soft hyphen or a hyphen before a small letter was put there by the line end
  if (!isParagraph && CUT_WORD.test(text) && GOES_ON.test(line)) return text.slice(0, -1) + line;
  return `${text}${isParagraph ? '\n\n' : '\n'}${line}`;
}
