import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeRandom, makeText, makeWords } from './corpus.js';
import { benchLargeFile } from './ingestion/large-file.js';
import { benchManyDocuments } from './ingestion/many-documents.js';
import { makePdfOfPages } from './ingestion/pdf-of-pages.js';

/** A job of many short documents; a text and a PDF as large as people have them, with searches going on meanwhile. */
export async function benchIngestion(
  print: (line: string) => void,
  sizes: { readonly documents: number; readonly textBytes: number; readonly pages: number },
): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'gazetteer-bench-'));
  try {
    await benchManyDocuments(print, join(root, 'many'), sizes.documents);
    await benchLargeFile(print, join(root, 'text'), {
      label: `a text of ${(sizes.textBytes / 1e6).toFixed(0)} MB`,
      name: 'large.txt',
      bytes: textOf(sizes.textBytes),
    });
    await benchLargeFile(print, join(root, 'pdf'), {
      label: `a PDF of ${sizes.pages} pages`,
      name: 'large.pdf',
      bytes: makePdfOfPages(sizes.pages),
    });
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

function textOf(bytes: number): Buffer {
  const words = makeWords(makeRandom(3));
  const paragraphs: string[] = [];
  for (let length = 0; length < bytes; ) {
    const paragraph = makeText(words, 1);
    paragraphs.push(paragraph);
    length += paragraph.length + 2;
  }
  // plain ASCII: a code unit is a byte
  return Buffer.from(paragraphs.join('\n\n').slice(0, bytes));
}
