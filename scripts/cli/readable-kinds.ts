import { extname } from 'node:path';
import { TEXT_TYPES } from '../../src/ingest/extract/text-types.js';

/** Files that are not text and that the server reads. */
const DOCUMENTS: ReadonlySet<string> = new Set(['docx', 'epub', 'odt', 'pdf', 'pptx', 'rtf']);

/** Whether a file found in a folder is a kind that the server reads, by its extension. What is named is tried anyway. */
export function isReadable(path: string): boolean {
  const extension = extname(path).slice(1).toLowerCase();
  return DOCUMENTS.has(extension) || Object.hasOwn(TEXT_TYPES, extension);
}
