import { zipSync } from 'fflate';
import { type ExtractedFile, unreadable } from './extracted-file.js';
import { markdownOf } from './markdown-writer.js';
import { parsePage } from './markup.js';
import { DOCX_TYPE } from './sniff.js';
import { pendingChanges } from './tracked-changes.js';
import { type ZipParts, zipParts } from './zip-parts.js';

/** Pictures and fonts are not unpacked. */
const WANTED = /\.(xml|rels)$/i;

/** A Word document as Markdown: headings, lists, tables, foot- and endnotes; changes still tracked as if accepted. */
export async function extractDocx(bytes: Uint8Array): Promise<ExtractedFile> {
  return docxText(zipParts(bytes, (name) => WANTED.test(name)));
}

export async function docxText(parts: ZipParts): Promise<ExtractedFile> {
  const { default: mammoth } = await import('mammoth');
  const html = await mammoth
    .convertToHtml(
      { buffer: Buffer.from(zipSync(withoutDocumentTypes(parts), { level: 0 })) },
      {
        externalFileAccess: false,
        convertImage: mammoth.images.imgElement(async () => ({ src: '' })),
        styleMap: [
          'comment-reference => ',
          "p[style-name='Title'] => h1:fresh",
          "p[style-name='Subtitle'] => h2:fresh",
        ],
      },
    )
    .catch((error: unknown) => {
      throw unreadable('corrupt', error);
    });
  const text = markdownOf(parsePage(`<body>${html.value}</body>`)).replace(/ ?↑$/gm, '');
  return { text, mediaType: DOCX_TYPE, pageStarts: null, warnings: pendingChanges(parts) };
}

/** No part of a Word document has one; what a hostile one declares is not even parsed. */
function withoutDocumentTypes(parts: ZipParts): Record<string, Uint8Array> {
  const clean: Record<string, Uint8Array> = {};
  for (const [name, bytes] of Object.entries(parts)) {
    const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 4096)).toString('latin1');
    if (/<!DOCTYPE/i.test(head)) throw unreadable('corrupt');
    clean[name] = bytes;
  }
  return clean;
}
