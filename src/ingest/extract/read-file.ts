import type { OnProgress } from '../../embed/worker-pool.js';
import { extractDocx } from './docx.js';
import { extractEml } from './eml.js';
import { extractEpub } from './epub.js';
import { type ExtractedFile, NotExtractable, unreadable } from './extracted-file.js';
import { extractFlatOpc } from './flat-opc.js';
import { extractHtml } from './html.js';
import { extractOdt } from './odt.js';
import { extractPdf } from './pdf.js';
import { extractPlainText } from './plain-text.js';
import { extractPptx } from './pptx.js';
import { extractRtf } from './rtf.js';
import { type Kind, sniff } from './sniff.js';

type Reader = (bytes: Uint8Array, mediaType: string, onProgress: OnProgress) => ExtractedFile | Promise<ExtractedFile>;

const READERS: Readonly<Record<Kind, Reader>> = {
  pdf: (bytes, _mediaType, onProgress) => extractPdf(bytes, onProgress),
  docx: extractDocx,
  'flat-opc': extractFlatOpc,
  pptx: extractPptx,
  odt: extractOdt,
  epub: extractEpub,
  rtf: extractRtf,
  eml: extractEml,
  html: extractHtml,
  text: extractPlainText,
};

/** A file's text, by what its bytes are. `onProgress` hears of pages. Throws NotExtractable, and what is wrong in the code. */
export async function readFile(
  bytes: Uint8Array,
  name: string,
  declared: string | null,
  onProgress: OnProgress = () => {},
): Promise<ExtractedFile> {
  const sniffed = sniff(bytes, name, declared);
  if ('unsupported' in sniffed) {
    throw new NotExtractable('unsupported', `That kind of file is not read: it is ${sniffed.unsupported}`);
  }
  try {
    return canonicalFile(await READERS[sniffed.kind](bytes, sniffed.mediaType, onProgress));
  } catch (error) {
    // the stack ends where elements are nested without end
    if (error instanceof RangeError) throw unreadable('nesting', error);
    throw error;
  }
}

/** NUL and CR never reach the store; leaving them out here keeps `pageStarts` true. */
function canonicalFile(file: ExtractedFile): ExtractedFile {
  if (file.pageStarts !== null) return file;
  return { ...file, text: file.text.replaceAll('\0', '').replace(/\r\n?/g, '\n') };
}
