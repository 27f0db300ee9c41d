import { type ExtractedFile, unreadable } from './extracted-file.js';
import { markdownOf } from './markdown-writer.js';
import { isElement, type MarkupNode, parsePage, parseXml, TEXT_NODE } from './markup.js';
import { zipParts } from './zip-parts.js';

const MAX_DEPTH = 500;

/** OpenDocument elements that HTML has too; what is not here is taken for its content. */
const AS_HTML: Readonly<Record<string, string>> = {
  'text:p': 'p',
  'text:list': 'ul',
  'text:list-item': 'li',
  'table:table': 'table',
  'table:table-row': 'tr',
  'table:table-cell': 'td',
  'text:note': 'p',
};
/** Changes that are deleted, comments, and what only says where something is. */
const LEFT_OUT = new Set([
  'text:tracked-changes',
  'office:annotation',
  'text:note-citation',
  'office:forms',
  'svg:title',
]);

/** An OpenDocument text as Markdown. */
export function extractOdt(bytes: Uint8Array): ExtractedFile {
  const { 'content.xml': content } = zipParts(bytes, (name) => name === 'content.xml');
  const body = content && parseXml(Buffer.from(content).toString('utf8')).querySelector('office\\:body');
  if (!body) throw unreadable('corrupt');
  return {
    text: markdownOf(parsePage(`<body>${htmlOf(body, 0)}</body>`)),
    mediaType: 'application/vnd.oasis.opendocument.text',
    pageStarts: null,
    warnings: [],
  };
}

function htmlOf(node: MarkupNode, depth: number): string {
  if (node.nodeType === TEXT_NODE) return escaped(node.nodeValue ?? '');
  if (!isElement(node) || LEFT_OUT.has(node.nodeName) || depth > MAX_DEPTH) return '';
  if (node.nodeName === 'text:line-break') return '<br>';
  if (node.nodeName === 'text:s' || node.nodeName === 'text:tab') return ' ';
  const inner = node.childNodes.map((child) => htmlOf(child, depth + 1)).join('');
  const level = Math.min(6, Math.max(1, Number(node.getAttribute('text:outline-level')) || 1));
  const name = node.nodeName === 'text:h' ? `h${level}` : AS_HTML[node.nodeName];
  return name === undefined ? inner : `<${name}>${inner}</${name}>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
