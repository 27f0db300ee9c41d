import { posix } from 'node:path';
import { type ExtractedFile, unreadable } from './extracted-file.js';
import { htmlText } from './html.js';
import { elementsOf, parseXml } from './markup.js';
import { type ZipParts, zipParts } from './zip-parts.js';

const WANTED = /(^META-INF\/(container|encryption)\.xml|\.(opf|xhtml|html?|xml))$/i;

/** The chapters of a book in their order, as Markdown. */
export function extractEpub(bytes: Uint8Array): ExtractedFile {
  const parts = zipParts(bytes, (name) => WANTED.test(name));
  if (isLocked(parts)) throw unreadable('encrypted');
  const [root] = elementsOf(parseXml(textOf(parts, 'META-INF/container.xml')), 'rootfile');
  const path = root?.getAttribute('full-path') ?? '';
  const book = parseXml(textOf(parts, path));
  const files = new Map<string, string>();
  for (const item of elementsOf(book, 'item'))
    files.set(item.getAttribute('id') ?? '', decodeURIComponent(item.getAttribute('href') ?? ''));
  const chapters: string[] = [];
  const warnings = new Set<string>();
  for (const reference of elementsOf(book, 'itemref')) {
    const name = posix.join(posix.dirname(path), files.get(reference.getAttribute('idref') ?? '') ?? '');
    const part = parts[name];
    if (!part) continue;
    const chapter = htmlText(Buffer.from(part).toString('utf8'));
    if (chapter.text !== '') chapters.push(chapter.text);
    for (const warning of chapter.warnings) warnings.add(warning);
  }
  return { text: chapters.join('\n\n'), mediaType: 'application/epub+zip', pageStarts: null, warnings: [...warnings] };
}

/** Fonts are often scrambled; a book is locked when a chapter is. */
function isLocked(parts: ZipParts): boolean {
  const encryption = parts['META-INF/encryption.xml'];
  return encryption !== undefined && /URI="[^"]+\.(xhtml|html?)"/i.test(Buffer.from(encryption).toString('utf8'));
}

function textOf(parts: ZipParts, name: string): string {
  const part = parts[name];
  if (!part) throw unreadable('corrupt');
  return Buffer.from(part).toString('utf8');
}
