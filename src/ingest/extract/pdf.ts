import { createRequire } from 'node:module';
import { dirname, join, sep } from 'node:path';
import type { OnProgress } from '../../embed/worker-pool.js';
import { type ExtractedFile, NotExtractable, unreadable } from './extracted-file.js';
import { fieldItems } from './pdf-fields.js';
import { glyphNameLetters, withNamedGlyphs } from './pdf-glyph-names.js';
import { pageText } from './pdf-page-text.js';
import type { PdfItem } from './pdf-runs.js';

/** A longer file is refused: a text of that size is not a document. */
const MAX_PAGES = 10_000;
const PAGE_BREAK = '\n\n';
export const PDF_TYPE = 'application/pdf';

/**
 * Text of a PDF in the order in which it is read, page by page, filled-in form fields beside their labels. A file without
 * a text layer (a scan) is `empty`. Throws NotExtractable.
 */
export async function extractPdf(bytes: Uint8Array, onPage: OnProgress = () => {}): Promise<ExtractedFile> {
  const document = await openPdf(bytes);
  try {
    if (document.numPages > MAX_PAGES) {
      throw new NotExtractable('unsafe', `The PDF has ${document.numPages} pages, at most ${MAX_PAGES} are read`);
    }
    const pages: string[] = [];
    const broken: number[] = [];
    let cause: unknown;
    for (let number = 1; number <= document.numPages; number++) {
      try {
        pages.push(await readPage(document, number));
      } catch (error) {
        cause = error;
        broken.push(number);
        pages.push('');
      }
      onPage(number, document.numPages);
    }
    if (broken.length > 0 && pages.every((text) => text === '')) throw unreadable('corrupt', cause);
    const file = joinPages(pages);
    if (broken.length === 0) return file;
    const warning = `${broken.length} of ${pages.length} pages are damaged and were left out: ${listed(broken)}`;
    return { ...file, warnings: [warning, ...file.warnings] };
  } finally {
    await document.loadingTask.destroy();
  }
}

type PdfDocument = Awaited<ReturnType<typeof openPdf>>;

async function openPdf(bytes: Uint8Array) {
  const { getDocument, VerbosityLevel } = await import('pdfjs-dist/legacy/build/pdf.mjs');
  const root = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));
  try {
    return await getDocument({
      // the library takes the buffer over
      data: new Uint8Array(bytes),
      // in Node it reads these as files, and wants a slash at the end whatever the system
      cMapUrl: `${join(root, 'cmaps').split(sep).join('/')}/`,
      cMapPacked: true,
      standardFontDataUrl: `${join(root, 'standard_fonts').split(sep).join('/')}/`,
      isEvalSupported: false,
      // names of glyphs, for those without a meaning
      fontExtraProperties: true,
      useSystemFonts: false,
      disableFontFace: true,
      stopAtErrors: false,
      verbosity: VerbosityLevel.ERRORS,
    }).promise;
  } catch (error) {
    throw unreadable((error as Error).name === 'PasswordException' ? 'encrypted' : 'corrupt', error);
  }
}

async function readPage(document: PdfDocument, number: number): Promise<string> {
  const page = await document.getPage(number);
  try {
    const content = await page.getTextContent({ includeMarkedContent: false, disableNormalization: true });
    let printed = content.items.filter((item): item is Extract<typeof item, { str: string }> => 'str' in item);
    if (printed.some(({ str }) => str.includes('\0'))) {
      const named = glyphNameLetters(await page.getOperatorList(), (font) => page.commonObjs.get(font) as unknown);
      printed = withNamedGlyphs(printed, named);
    }
    const fields = fieldItems(await page.getAnnotations({ intent: 'display' }), printed as PdfItem[]);
    return canonicalPage(pageText([...(printed as PdfItem[]), ...fields]));
  } finally {
    page.cleanup();
  }
}

/** Codes of a font that names none of its letters: the codes themselves mean nothing. */
const NAMELESS = /[^\P{Cc}\n\t]+/gu;

/** As the store has texts: what it would take out later would move the pages. */
function canonicalPage(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(NAMELESS, '\ufffd').replaceAll('\ufeff', '').toWellFormed().trim();
}

function joinPages(pages: readonly string[]): ExtractedFile {
  const blank = pages.flatMap((text, i) => (text === '' ? [i + 1] : []));
  if (blank.length === pages.length) {
    throw new NotExtractable(
      'empty',
      'The PDF has no text layer: it holds only pictures of its pages. Run text recognition (OCR) on it first',
    );
  }
  const pageStarts: number[] = [];
  let text = '';
  for (const page of pages) {
    if (text !== '' && page !== '') text += PAGE_BREAK;
    pageStarts.push(text.length);
    text += page;
  }
  return {
    text,
    mediaType: PDF_TYPE,
    pageStarts,
    warnings: [...blankWarnings(blank, pages), ...unmappedWarnings(pages)],
  };
}

function blankWarnings(blank: readonly number[], pages: readonly string[]): string[] {
  if (blank.length === 0) return [];
  return [`${blank.length} of ${pages.length} pages have no text, only pictures perhaps: ${listed(blank)}`];
}

/** Characters that a font shows and does not name: neither as U+FFFD nor among its private ones is a letter. */
const UNMAPPED = /[\ufffd\ue000-\uf8ff]/g;

function unmappedWarnings(pages: readonly string[]): string[] {
  let count = 0;
  const numbers: number[] = [];
  for (const [i, text] of pages.entries()) {
    const found = text.match(UNMAPPED)?.length ?? 0;
    count += found;
    if (found > 0) numbers.push(i + 1);
  }
  if (count === 0) return [];
  return [
    `${count} ${count === 1 ? 'place shows' : 'places show'} characters that the PDF does not name (U+FFFD or private use), on ${numbers.length === 1 ? 'page' : 'pages'} ${listed(numbers)}: words may be incomplete there`,
  ];
}

const LISTED = 20;

function listed(numbers: readonly number[]): string {
  return numbers.length <= LISTED
    ? numbers.join(', ')
    : `${numbers.slice(0, LISTED).join(', ')} and ${numbers.length - LISTED} more`;
}
