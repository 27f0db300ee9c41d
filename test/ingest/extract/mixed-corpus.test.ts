import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { wordsInOrder } from '../../../bench/extraction/words-in-order.js';
import { createExtractor } from '../../../src/ingest/extract.js';

const root = '../shared/data/mixed';
const isThere = existsSync(join(root, 'manifest.jsonl'));
if (!isThere) console.log(`Skipped: ${root} is not there`);

const extractor = createExtractor();
afterAll(() => extractor.close());

const extract = (file: string) =>
  extractor.extract({ kind: 'file', name: basename(file), bytes: readFileSync(join(root, file)), mediaType: null });
const reference = (file: string) => readFileSync(join(root, 'reference-text', `${basename(file)}.txt`), 'utf8');

/** A few of each kind; all of them are measured by bench/extraction.ts. */
test
  .skipIf(!isThere)
  .each([
    'files/pdf/pdfjs__tracemonkey.pdf',
    'files/pdf/unst__layout-parser-paper-fast.pdf',
    'files/pdf/pypdf__crazyones-pdfa.pdf',
    'files/pdf/pdfjs__ArabicCIDTrueType.pdf',
    'files/pdf/pdfjs__noembed-sjis.pdf',
    'files/pdf/pdfjs__Pages-tree-refs.pdf',
    'files/docx/unst__example-list-items-multiple.docx',
    'files/docx/tika__footnotes.docx',
    'files/docx/tika__testWORD_phonetic.docx',
  ])('%s: 95 of 100 words of its reference, in order', async (file) => {
  const { text } = await extract(file);
  expect(wordsInOrder(text, reference(file))).toBeGreaterThanOrEqual(0.95);
});

test
  .skipIf(!isThere)
  .each([
    'ru.cp1251',
    'ru.iso8859_5',
    'el.iso8859_7',
    'tr.iso8859_9',
    'es.iso8859_1',
    'ro.iso8859_2',
    'ar.iso8859_6',
    'th.tis_620',
    'zh.gb18030',
    'zh.gbk',
    'vi.utf-16-le',
    'hi.utf-8-sig',
  ])('a text re-encoded as %s comes out exactly', async (name) => {
  const { text } = await extract(`files/text/xquad__${name}.txt`);
  expect(text).toBe(reference(`files/text/xquad__${name}.txt`));
});

test.skipIf(!isThere).each([
  ['files/pdf/unst__password.pdf', 'UNREADABLE', 'encrypted'],
  ['files/pdf/pypdf__libreoffice-writer-password.pdf', 'UNREADABLE', 'encrypted'],
  ['files/pdf/pdfjs__poppler-395-0-fuzzed.pdf', 'UNREADABLE', 'damaged'],
  ['files/pdf/tika__testOCR.pdf', 'EMPTY_TEXT', 'no text layer'],
  ['files/other/unst__DA-1p.png', 'UNSUPPORTED_MEDIA_TYPE', 'PNG'],
  ['files/other/unst__simple.doc', 'UNSUPPORTED_MEDIA_TYPE', 'Office before 2007'],
  ['files/other/unst__stanley-cups.xlsx', 'UNSUPPORTED_MEDIA_TYPE', 'spreadsheet'],
])('%s is refused as %s, with the reason', async (file, code, reason) => {
  await expect(extract(file)).rejects.toMatchObject({
    name: 'Refusal',
    code,
    path: ['input', 'file'],
    message: expect.stringContaining(reason),
  });
});
