import { isElement, type MarkupElement } from './markup.js';

/** Wider tables are layouts of pages made long ago. */
const MAX_COLUMNS = 100;

/**
 * A table of data as rows with bars, header first, empty rows and columns left out. A table that only lays out a page, or
 * whose cells hold whole texts, gives their blocks one after another.
 */
export function tableBlock(table: MarkupElement, blocksOf: (cell: MarkupElement) => string[]): string[] {
  const caption = rowsBelow(table, ['CAPTION']).flatMap(blocksOf);
  const rows = rowsBelow(table, ['TR']).map((row) =>
    [...row.childNodes].filter(isElement).filter(({ nodeName }) => nodeName === 'TD' || nodeName === 'TH'),
  );
  const cells = rows.map((row) => row.map(blocksOf)).filter((row) => row.some((blocks) => blocks.length > 0));
  if (cells.length === 0) return caption;
  const width = Math.max(...cells.map((row) => row.length));
  const isLayout =
    width === 1 ||
    width > MAX_COLUMNS ||
    rows.some((row) => row.some((cell) => cell.querySelector('table,h1,h2,h3,h4,pre') !== null)) ||
    cells.some((row) => row.some((blocks) => blocks.length > 3));
  if (isLayout) return [...caption, ...cells.flat(2)];

  const flat = cells.map((row) => row.map((blocks) => blocks.join(' ').replace(/\s+/g, ' ').replaceAll('|', '\\|')));
  const used = Array.from({ length: width }, (_, i) => i).filter((i) => flat.some((row) => (row[i] ?? '') !== ''));
  if (used.length === 1) return [...caption, ...flat.map((row) => row[used[0]!] ?? '').filter((cell) => cell !== '')];
  const lines = flat.map((row) => `| ${used.map((i) => row[i] ?? '').join(' | ')} |`);
  return [...caption, [lines[0], `|${' --- |'.repeat(used.length)}`, ...lines.slice(1)].join('\n')];
}

/** Elements of a table itself, not of tables inside it. */
function rowsBelow(table: MarkupElement, names: readonly string[]): MarkupElement[] {
  const found: MarkupElement[] = [];
  for (const child of table.childNodes) {
    if (!isElement(child)) continue;
    if (names.includes(child.nodeName)) found.push(child);
    else if (/^(THEAD|TBODY|TFOOT)$/.test(child.nodeName)) found.push(...rowsBelow(child, names));
  }
  return found;
}
