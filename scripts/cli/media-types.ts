import { extname } from 'node:path';

/** Kinds of files that the server reads today. Others are passed over in folders and refused by name. */
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.adoc': 'text/plain',
  '.htm': 'text/html',
  '.html': 'text/html',
  '.log': 'text/plain',
  '.markdown': 'text/markdown',
  '.md': 'text/markdown',
  '.mdx': 'text/markdown',
  '.org': 'text/plain',
  '.rst': 'text/plain',
  '.tex': 'text/plain',
  '.text': 'text/plain',
  '.txt': 'text/plain',
  '.xhtml': 'text/html',
};

export const KNOWN_EXTENSIONS = Object.keys(MEDIA_TYPES);

/** By the name's extension; null for a kind that is not read. */
export function mediaTypeOf(path: string): string | null {
  const extension = extname(path).toLowerCase();
  return Object.hasOwn(MEDIA_TYPES, extension) ? (MEDIA_TYPES[extension] as string) : null;
}
