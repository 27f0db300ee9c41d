import { tableBlock } from './markdown-table.js';
import { CDATA_NODE, isElement, type MarkupElement, type MarkupNode, TEXT_NODE } from './markup.js';

/** Deeper elements are taken for their text alone. */
const MAX_DEPTH = 150;

const HEADINGS: Readonly<Record<string, number>> = { H1: 1, H2: 2, H3: 3, H4: 4, H5: 5, H6: 6 };
/** Elements that stand beside their neighbours in a line; all others begin and end one. */
const INLINE = new Set(
  'A ABBR ACRONYM B BDI BDO BIG BUTTON CITE CODE DATA DEL DFN EM FONT I INS KBD LABEL MARK NOBR OUTPUT Q RB RUBY S SAMP SMALL SPAN STRIKE STRONG SUB SUP TIME TT U VAR WBR'.split(
    ' ',
  ),
);
/** Readings beside the characters that they are of would be read twice. */
const SKIPPED = new Set(['RT', 'RP', 'HEAD', 'TITLE', 'AREA', 'MAP']);

/**
 * What an element says as Markdown: headings, lists, tables, quotations and code. Emphasis and the targets of links are
 * left out, and nothing is escaped, because the text is to be searched and read, not to be made a page again.
 */
export function markdownOf(root: MarkupNode): string {
  return blocksOf(root, 0).join('\n\n');
}

export function blocksOf(root: Pick<MarkupNode, 'childNodes'>, depth: number): string[] {
  const blocks: string[] = [];
  let run = '';
  const flush = () => {
    const text = tidyRun(run);
    if (text !== '') blocks.push(text);
    run = '';
  };
  const visit = (node: MarkupNode, level: number): void => {
    if (node.nodeType === TEXT_NODE || node.nodeType === CDATA_NODE) {
      run += collapsed(node.nodeValue ?? '');
      return;
    }
    if (!isElement(node)) return;
    const name = node.nodeName.toUpperCase();
    if (SKIPPED.has(name)) return;
    if (name === 'BR') run += '\n';
    else if (name === 'IMG') run += ` ${collapsed(node.getAttribute('alt') ?? '')} `;
    else if (name === 'INPUT') run += ` ${collapsed(inputValue(node))} `;
    else if (level > MAX_DEPTH) run += ` ${collapsed(node.textContent ?? '')} `;
    else if (INLINE.has(name)) for (const child of node.childNodes) visit(child, level + 1);
    else {
      flush();
      const own = blockOf(node, name, level + 1);
      if (own === null) for (const child of node.childNodes) visit(child, level + 1);
      else blocks.push(...own);
      flush();
    }
  };
  for (const child of root.childNodes) visit(child, depth);
  flush();
  return blocks;
}

/** The blocks of an element that is more than its content; null for one that is not. */
function blockOf(element: MarkupElement, name: string, depth: number): string[] | null {
  const level = HEADINGS[name];
  if (level !== undefined) {
    const text = oneLine(element);
    return text === '' ? [] : [`${'#'.repeat(level)} ${text}`];
  }
  switch (name) {
    case 'PRE':
      return preformatted(element);
    case 'UL':
    case 'OL':
      return list(element, name === 'OL', depth);
    case 'BLOCKQUOTE': {
      const text = blocksOf(element, depth).join('\n\n');
      return text === '' ? [] : [text.replace(/^/gm, '> ').replace(/^> $/gm, '>')];
    }
    case 'TABLE':
      return tableBlock(element, (cell) => blocksOf(cell, depth + 3));
    default:
      return null;
  }
}

function preformatted(element: MarkupElement): string[] {
  const text = (element.textContent ?? '').replace(/\r\n?/g, '\n').replace(/^\n+|\s+$/g, '');
  if (text.trim() === '') return [];
  // a fence longer than any run of backticks inside
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return [`${fence}\n${text}\n${fence}`];
}

function list(element: MarkupElement, isOrdered: boolean, depth: number): string[] {
  let number = Number.parseInt(element.getAttribute('start') ?? '1', 10) || 1;
  const items: string[] = [];
  for (const child of element.childNodes) {
    const blocks = isElement(child) ? blocksOf(isList(child) ? { childNodes: [child] } : child, depth + 1) : [];
    if (blocks.length === 0) continue;
    const text = blocks.join(blocks.some((block) => /^#|\n\n/.test(block)) ? '\n\n' : '\n');
    // an item that is nothing but a list is a level passed over: the list stands for itself, further in
    const marker = holdsOnlyList(child) ? '' : isOrdered ? `${number++}. ` : '- ';
    const indent = ' '.repeat(marker.length || 2);
    items.push((marker || indent) + text.replace(/\n(?=[^\n])/g, `\n${indent}`));
  }
  return items.length === 0 ? [] : [items.join('\n')];
}

function isList({ nodeName }: MarkupNode): boolean {
  return nodeName === 'UL' || nodeName === 'OL';
}

function holdsOnlyList(node: MarkupNode): boolean {
  if (isList(node)) return true;
  const said = node.childNodes.filter((child) => isElement(child) || (child.nodeValue ?? '').trim() !== '');
  return said.length === 1 && isList(said[0]!);
}

/** Text typed or preset in a form. */
function inputValue(element: MarkupElement): string {
  const type = (element.getAttribute('type') ?? 'text').toLowerCase();
  return type === 'text' || type === 'search' || type === '' ? (element.getAttribute('value') ?? '') : '';
}

export function oneLine(element: MarkupNode): string {
  return blocksOf(element, MAX_DEPTH - 20)
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** White space as a page shows it; that of no break stays. */
function collapsed(text: string): string {
  return text.replace(/[ \t\r\n\f]+/g, ' ');
}

function tidyRun(run: string): string {
  return run
    .replace(/ {2,}/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
