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
      { buffer: Buffer.from(zipSync(readable(parts), { level: 0 })) },
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

const TEXT_PART = /^word\/(document\d*|footnotes|endnotes)\.xml$/;

/** The parts as they are given on. None of a Word document has a document type; what a hostile one declares is not parsed. */
function readable(parts: ZipParts): Record<string, Uint8Array> {
  const clean: Record<string, Uint8Array> = {};
  for (const [name, bytes] of Object.entries(parts)) {
    const part = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (/<!DOCTYPE/i.test(part.subarray(0, 4096).toString('latin1'))) throw unreadable('corrupt');
    clean[name] = TEXT_PART.test(name) && part.includes('<w:ruby>') ? Buffer.from(withRuby(part.toString())) : bytes;
  }
  return clean;
}

const RUBY = /<w:ruby>[\s\S]*?<w:rt>([\s\S]*?)<\/w:rt>\s*<w:rubyBase>([\s\S]*?)<\/w:rubyBase>\s*<\/w:ruby>/g;
const BRACKETS = ['<w:r><w:t>（</w:t></w:r>', '<w:r><w:t>）</w:t></w:r>'] as const;

/** Readings stand in brackets before the characters that they belong to; the converter would leave out both. */
function withRuby(xml: string): string {
  // a run may not hold runs, so the one around is ended and begun anew
  return xml.replace(RUBY, (_, reading: string, base: string) =>
    ['</w:r>', BRACKETS[0], reading, BRACKETS[1], base, '<w:r>'].join(''),
  );
}
