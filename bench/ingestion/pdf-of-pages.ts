import { makePdf } from '../../test/ingest/extract/make-pdf.js';
import { makeRandom, makeWords } from '../corpus.js';

const LINES_PER_PAGE = 46;
const WORDS_PER_LINE = 12;
const LINE_HEIGHT = 15;

/** Pages full of text, some 550 words each. */
export function makePdfOfPages(pages: number): Buffer {
  const words = makeWords(makeRandom(4));
  const line = (): string => Array.from({ length: WORDS_PER_LINE }, words).join(' ');
  return makePdf(
    Array.from({ length: pages }, () =>
      Array.from({ length: LINES_PER_PAGE }, (_, row) => ({
        at: [50, 740 - row * LINE_HEIGHT] as const,
        text: line(),
      })),
    ),
  );
}
