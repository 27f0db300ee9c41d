/**
 * The blocks of a Markdown text that matter for cutting it (CommonMark 0.31, tables as GitHub has them): headings, fenced
 * code, tables, and everything else. Read line by line, in linear time; spans cover the text without gaps.
 */
export type Block =
  | {
      readonly kind: 'heading';
      readonly start: number;
      readonly end: number;
      readonly level: number;
      readonly title: string;
    }
  | {
      readonly kind: 'table';
      readonly start: number;
      readonly end: number /** The header row. */;
      readonly header: string /** Records of CSV or TSV rather than lines with bars. */;
      readonly isDelimited: boolean;
    }
  | { readonly kind: 'code' | 'text'; readonly start: number; readonly end: number };

const ATX_HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/;
const CLOSING_MARKS = /(?:^|[ \t]+)#+[ \t]*$/;
const SETEXT_UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/;
const FENCE = /^[ \t>]*(`{3,}|~{3,})(.*)$/;
const DELIMITER_ROW = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
/** Not a paragraph that an underline could make a heading of: list item, quotation, table row, rule. */
const NO_PARAGRAPH = /^ {0,3}(?:[-*+>|]|\d{1,9}[.)]|={3,}|-{3,})/;
const BLANK_LINE = /^[ \t]*$/;
/** A longer line is no heading, fence or table: it is not matched against patterns. */
const LINE_LIMIT = 2_000;

interface Line {
  readonly start: number;
  /** After the line feed. */
  readonly end: number;
  readonly text: string;
}

export function markdownBlocks(text: string): Block[] {
  const blocks: Block[] = [];
  let textStart = 0;
  let previous: Line | null = null;
  let beforePrevious: Line | null = null;
  let at = 0;

  const endText = (end: number): void => {
    if (end > textStart) blocks.push({ kind: 'text', start: textStart, end });
  };
  const take = (block: Block): void => {
    endText(block.start);
    blocks.push(block);
    textStart = block.end;
    at = block.end;
    previous = null;
    beforePrevious = null;
  };

  at = frontMatterEnd(text);
  while (at < text.length) {
    const line = lineAt(text, at);
    const block =
      fencedCode(text, line) ??
      atxHeading(line) ??
      setextHeading(line, previous, beforePrevious) ??
      table(text, line, previous);
    if (block) {
      take(block);
      continue;
    }
    beforePrevious = previous;
    previous = line;
    at = line.end;
  }
  endText(text.length);
  return blocks;
}

function lineAt(text: string, start: number): Line {
  const newline = text.indexOf('\n', start);
  const end = newline < 0 ? text.length : newline + 1;
  const contentEnd = newline < 0 ? end : newline;
  return { start, end, text: text.slice(start, Math.min(contentEnd, start + LINE_LIMIT)) };
}

/** YAML between lines of three dashes at the very top is no heading. */
function frontMatterEnd(text: string): number {
  if (!/^---[ \t]*\n/.test(text.slice(0, 8))) return 0;
  for (let line = lineAt(text, text.indexOf('\n') + 1); line.start < text.length; line = lineAt(text, line.end)) {
    if (/^(?:---|\.\.\.)[ \t]*$/.test(line.text)) return line.end;
    if (line.end >= text.length) break;
  }
  return 0;
}

function fencedCode(text: string, line: Line): Block | null {
  const [, marks, info] = FENCE.exec(line.text) ?? [];
  if (!marks || (marks[0] === '`' && info!.includes('`'))) return null;
  let end = line.end;
  while (end < text.length) {
    const next = lineAt(text, end);
    end = next.end;
    const [, closing, rest] = FENCE.exec(next.text) ?? [];
    if (closing && closing[0] === marks[0] && closing.length >= marks.length && BLANK_LINE.test(rest!)) break;
  }
  return { kind: 'code', start: line.start, end };
}

function atxHeading(line: Line): Block | null {
  const [, marks, content = ''] = ATX_HEADING.exec(line.text) ?? [];
  if (!marks) return null;
  return heading(line.start, line.end, marks.length, content.replace(CLOSING_MARKS, ''));
}

/** A paragraph of one line with `===` or `---` under it. */
function setextHeading(line: Line, previous: Line | null, beforePrevious: Line | null): Block | null {
  const [, marks] = SETEXT_UNDERLINE.exec(line.text) ?? [];
  if (!marks || !previous || BLANK_LINE.test(previous.text) || NO_PARAGRAPH.test(previous.text)) return null;
  if (/^ {4}|^\t/.test(previous.text) || (beforePrevious && !BLANK_LINE.test(beforePrevious.text))) return null;
  return heading(previous.start, line.end, marks[0] === '=' ? 1 : 2, previous.text);
}

function heading(start: number, end: number, level: number, content: string): Block {
  return { kind: 'heading', start, end, level, title: plainTitle(content) };
}

/** A heading's words without its links, images, code and emphasis marks. */
function plainTitle(content: string): string {
  return content
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/<[^>]*>/g, '')
    .replace(/[`*]+|(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/gu, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** From its delimiter row back to the header row before it, and on to the last row. */
function table(text: string, line: Line, previous: Line | null): Block | null {
  if (!previous?.text.includes('|') || !line.text.includes('-') || !DELIMITER_ROW.test(line.text)) return null;
  if (!line.text.includes('|')) return null;
  let end = line.end;
  while (end < text.length) {
    const next = lineAt(text, end);
    if (!next.text.includes('|') || BLANK_LINE.test(next.text)) break;
    end = next.end;
  }
  return { kind: 'table', start: previous.start, end, header: previous.text.trim(), isDelimited: false };
}
