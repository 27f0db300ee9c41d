/** Scripts without spaces between words: pairs of neighbouring characters stand for words, as Lucene's cjk analyzer has it. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u; // biome-ignore format: one line
const RUN = /[\p{L}\p{N}\p{M}_]+/gu;

export interface Word {
  /** In the form that is compared. */
  readonly term: string;
  /** Offsets into the text, UTF-16. */
  readonly start: number;
  readonly end: number;
}

/** The words of a text in lower case, roughly as the index's standard analyzer has them. */
export function wordsOf(text: string): Word[] {
  const words: Word[] = [];
  for (const { 0: run, index } of text.matchAll(RUN)) {
    if (UNSPACED.test(run)) words.push(...pairs(run, index));
    else words.push({ term: run.normalize('NFKC').toLowerCase(), start: index, end: index + run.length });
  }
  return words;
}

function pairs(run: string, offset: number): Word[] {
  const characters = [...run];
  const words: Word[] = [];
  let start = offset;
  characters.forEach((character, index) => {
    const next = characters[index + 1];
    if (next !== undefined || characters.length === 1) {
      const term = character + (next ?? '');
      words.push({ term: term.normalize('NFKC').toLowerCase(), start, end: start + term.length });
    }
    start += character.length;
  });
  return words;
}
