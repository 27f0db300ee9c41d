import type { TokenCounter } from '../token-counter.js';
import { loadVocabulary, type Vocabulary } from './vocabulary.js';

/**
 * The unigram tokenizer of Universal Sentence Encoder Lite (Kudo, "Subword Regularization", 2018): the split of highest
 * probability, found word by word, since no piece crosses the mark that begins a word. Linear in the text; the npm
 * package's own copies the rest of the text at every character.
 */

const WORD_MARK = '\u2581';
const UNKNOWN = 0;
/** Words whose pieces are remembered; emptied when full. */
const CACHE_LIMIT = 20_000;
const CACHED_WORD_LENGTH = 32;

interface WordPieces {
  readonly ids: Int32Array;
  /** As `ids`, but every unknown character counts: else a book in a script that the model cannot read were one chunk. */
  readonly count: number;
}

const cache = new Map<string, WordPieces>();

/** Token ids of a text. White space of any kind and length parts words, as the model was trained on single spaces. */
export function bundledTokens(text: string): Int32Array {
  const words = wordsOf(text);
  let total = 0;
  const pieces = words.map((word) => {
    const { ids } = piecesOfWord(word);
    total += ids.length;
    return ids;
  });
  const tokens = new Int32Array(total);
  let at = 0;
  for (const ids of pieces) {
    tokens.set(ids, at);
    at += ids.length;
  }
  return tokens;
}

/** At least as many as `bundledTokens` gives: a run of unknown characters is one there, and one each here. */
export const countBundledTokens: TokenCounter = (text) => {
  let total = 0;
  for (const word of wordsOf(text)) total += piecesOfWord(word).count;
  return total;
};

function wordsOf(text: string): string[] {
  const trimmed = text.normalize('NFKC').trim();
  return trimmed === '' ? [] : trimmed.split(/\s+/);
}

function piecesOfWord(word: string): WordPieces {
  const known = cache.get(word);
  if (known) return known;
  const pieces = segmented(WORD_MARK + word, loadVocabulary());
  if (word.length <= CACHED_WORD_LENGTH) {
    if (cache.size >= CACHE_LIMIT) cache.clear();
    cache.set(word, pieces);
  }
  return pieces;
}

/** Viterbi over the pieces that match at each place; a character without a piece is unknown, a run of them one token. */
function segmented(word: string, { child, ids, scores }: Vocabulary): WordPieces {
  const best = new Float64Array(word.length + 1).fill(Number.NEGATIVE_INFINITY);
  const from = new Int32Array(word.length + 1);
  const piece = new Int32Array(word.length + 1);
  best[0] = 0;
  for (let start = 0; start < word.length; start++) {
    let matches = 0;
    let node = 1;
    for (let end = start; end < word.length; ) {
      node = child(node, word.charCodeAt(end++));
      if (node === 0) break;
      if (ids[node] === UNKNOWN) continue;
      matches++;
      // of equals the shorter last piece wins, as in the package
      if (best[start]! + scores[node]! >= best[end]!) {
        best[end] = best[start]! + scores[node]!;
        from[end] = start;
        piece[end] = ids[node]!;
      }
    }
    if (matches === 0 && best[start]! >= best[start + 1]!) {
      best[start + 1] = best[start]!;
      from[start + 1] = start;
      piece[start + 1] = UNKNOWN;
    }
  }
  const reversed: number[] = [];
  let count = 0;
  for (let end = word.length; end > 0; end = from[end]!) {
    // the first half of a surrogate pair is counted with the second
    if (piece[end] !== UNKNOWN || (word.charCodeAt(end - 1) & 0xfc00) !== 0xd800) count++;
    if (piece[end] !== UNKNOWN || reversed.at(-1) !== UNKNOWN) reversed.push(piece[end]!);
  }
  return { ids: Int32Array.from(reversed.reverse()), count };
}
