import type { ZipParts } from './zip-parts.js';

const TEXT_PARTS = /^word\/(document\d*|footnotes|endnotes)\.xml$/;

/** One warning when a Word document is still in review, counting what a reviewer would have to decide. */
export function pendingChanges(parts: ZipParts): string[] {
  let insertions = 0;
  let deletions = 0;
  for (const [name, bytes] of Object.entries(parts)) {
    if (!TEXT_PARTS.test(name)) continue;
    const xml = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
    insertions += count(xml, /<w:(ins|moveTo)(\s[^>]*[^/])?>/g);
    deletions += count(xml, /<w:(del|moveFrom)(\s[^>]*[^/])?>/g);
  }
  if (insertions + deletions === 0) return [];
  return [
    `The document has tracked changes that are not accepted yet: ${counted(insertions, 'insertion')} and ${counted(deletions, 'deletion')}; the text is as if all were accepted`,
  ];
}

function count(text: string, pattern: RegExp): number {
  let total = 0;
  for (const _ of text.matchAll(pattern)) total++;
  return total;
}

function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
