import { dataUriWarnings, withoutDataUris } from './data-uris.js';
import { decodeText } from './decode-text.js';
import type { ExtractedFile } from './extracted-file.js';

const WITH_DATA_URIS = new Set(['text/markdown', 'text/plain']);

/** A text as it is: tables, data and code keep every character. Of Markdown the bytes of pasted pictures are left out. */
export function extractPlainText(bytes: Uint8Array, mediaType: string): ExtractedFile {
  const decoded = decodeText(bytes);
  const { text, removed } = WITH_DATA_URIS.has(mediaType) ? withoutDataUris(decoded) : { text: decoded, removed: 0 };
  return { text, mediaType, pageStarts: null, warnings: dataUriWarnings(removed) };
}
