import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ExtractedFile } from './extracted-file.js';
import { NotExtractable, unreadable } from './extracted-file.js';
import { type PdfItem, pageText } from './pdf-page-text.js';

/** A longer file is refused: a text of that size is not a document. */
const MAX_PAGES = 10_000;
const PAGE_BREAK = '\n\n';

/**
 * Text of a PDF in the order in which it is read, page by page, filled-in form fields beside their labels. A file without
 * a text layer (a scan) is EMPTY_TEXT. Throws NotExtractable.
 */
export async function extractPdf(bytes: Uint8Array): Promise<ExtractedFile> {
  const document = await openPdf(bytes);
  try {
    if (document.numPages > MAX_PAGES) {
      throw new NotExtractable('unsupported', `The PDF has ${document.numPages} pages, at most ${MAX_PAGES} are read`);
    }
    const pages: string[] = [];
    let nulls = 0;
    for (let number = 1; number <= document.numPages; number++) {
      const text = await readPage(document, number);
      nulls += text.split('\0').length - 1;
      pages.push(text.replaceAll('\0', '\ufffd').trim());
    }
    return joinPages(pages, nulls);
  } finally {
    await document.loadingTask.destroy();
  }
}

type PdfDocument = Awaited<ReturnType<typeof openPdf>>;

async function openPdf(bytes: Uint8Array) {
  const { getDocument, VerbosityLevel } = await import('pdfjs-dist/legacy/build/pdf.mjs');
  const root = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));
  const folder = (name: string): string => `${pathToFileURL(join(root, name)).href}/`.replace('file://', '');
  try {
    return await getDocument({
      // the library takes the buffer over
      data: new Uint8Array(bytes),
      cMapUrl: folder('cmaps'),
      cMapPacked: true,
      standardFontDataUrl: folder('standard_fonts'),
      isEvalSupported: false,
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
    const content = await page.getTextContent({ includeMarkedContent: false, disableNormalization: false });
    const items = content.items.filter((item): item is Extract<typeof item, { str: string }> => 'str' in item);
    const fields = await page.getAnnotations({ intent: 'display' });
    return pageText(items as readonly PdfItem[], fields.flatMap(fieldItem));
  } catch (error) {
    throw unreadable('corrupt', error);
  } finally {
    page.cleanup();
  }
}

/** A filled-in form field as if it were printed where it stands. */
function fieldItem(annotation: Record<string, unknown>): PdfItem[] {
  const { subtype, fieldValue, rect } = annotation as { subtype?: string; fieldValue?: unknown; rect?: number[] };
  if (subtype !== 'Widget' || typeof fieldValue !== 'string' || fieldValue.trim() === '' || rect === undefined)
    return [];
  if (
    (annotation as { checkBox?: boolean; radioButton?: boolean }).checkBox ||
    (annotation as { radioButton?: boolean }).radioButton
  )
    return [];
  const [left, bottom, right, top] = rect as [number, number, number, number];
  const height = Math.min(12, Math.max(1, top - bottom));
  return [
    {
      str: fieldValue,
      dir: 'ltr',
      transform: [height, 0, 0, height, left, bottom + (top - bottom - height) / 2],
      width: right - left,
      height,
      hasEOL: false,
    },
  ];
}

function joinPages(pages: readonly string[], nulls: number): ExtractedFile {
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
  const warnings: string[] = [];
  if (blank.length > 0) warnings.push(`${blank.length} of ${pages.length} pages have no text: ${listed(blank)}`);
  if (nulls > 0) warnings.push(`${nulls} characters of the PDF have no known meaning and are shown as U+FFFD`);
  return { text, mediaType: 'application/pdf', pageStarts, warnings };
}

const LISTED = 20;

function listed(numbers: readonly number[]): string {
  return numbers.length <= LISTED
    ? numbers.join(', ')
    : `${numbers.slice(0, LISTED).join(', ')} and ${numbers.length - LISTED} more`;
}
