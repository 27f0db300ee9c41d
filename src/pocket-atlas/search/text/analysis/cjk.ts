import type { Analyze, Emit } from './token.js';
import { tokenizeStandard } from './tokenize.js';

/**
 * Chinese, Japanese and Korean as overlapping pairs of characters, as Lucene's CJKBigramFilter: a run of n characters
 * gives n - 1 pairs, a lone character itself. Other words pass through. Full-width Latin and half-width Katakana are
 * folded first (CJKWidthFilter), so that ＡＢＣ is found by abc.
 */
const CJK = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]/u;
const WIDTH_FORMS = /[\uff01-\uff9f\uffa0-\uffdc]/;

export const analyzeCjkBigrams: Analyze = (text, emit) => {
  let position = 0;
  // the run of adjacent CJK characters that is being read: characters with their offsets
  let run: { character: string; start: number; end: number }[] = [];
  const flush = (): void => {
    emitPairs(run, (term, _, start, end) => emit(term, position++, start, end));
    run = [];
  };
  tokenizeStandard(text, (term, _position, start, end) => {
    const word = fold(term);
    if (!CJK.test(word)) {
      flush();
      emit(word, position++, start, end);
      return;
    }
    if (run.length > 0 && run[run.length - 1]!.end !== start) flush();
    const characters = [...word];
    // folding may join two half-width forms into one: then the pieces share the token's offsets
    const exact = characters.join('') === term;
    let at = start;
    for (const character of characters) {
      run.push(exact ? { character, start: at, end: at + character.length } : { character, start, end });
      at += character.length;
    }
  });
  flush();
};

function emitPairs(run: readonly { character: string; start: number; end: number }[], emit: Emit): void {
  if (run.length === 1) emit(run[0]!.character, 0, run[0]!.start, run[0]!.end);
  for (let i = 0; i + 1 < run.length; i++) {
    emit(run[i]!.character + run[i + 1]!.character, 0, run[i]!.start, run[i + 1]!.end);
  }
}

function fold(term: string): string {
  return (WIDTH_FORMS.test(term) ? term.normalize('NFKC') : term).toLowerCase();
}
