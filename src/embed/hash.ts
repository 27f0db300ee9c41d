import type { Embedder, EmbedderSpace } from './embedder.js';
import { TEXT_CLASS, textClasses } from './text-class.js';

/**
 * Deterministic feature hashing (Weinberger et al., "Feature Hashing for Large Scale Multitask Learning", 2009) of words
 * and of the character trigrams inside them: no model, no weights, some microseconds a text. Texts that share words are
 * close, which is all that tests and offline trials need; it knows no synonyms.
 */
export const HASH_SPACE: EmbedderSpace = {
  provider: 'hash',
  model: 'feature-hashing-v1',
  dimensions: 256,
  similarity: 'cosine',
  maxInputTokens: 8_192,
  languages: null,
};

const WORD_WEIGHT = 1;
const TRIGRAM_WEIGHT = 0.35;
/** Function words are short in most languages: a cheap stand-in for inverse document frequency. */
const FULL_WEIGHT_LENGTH = 5;

export function createHashEmbedder(): Embedder {
  return {
    space: HASH_SPACE,
    isInstant: true,
    countTokens: countHashTokens,
    async embed(texts, { signal, onVector }) {
      signal?.throwIfAborted();
      return texts.map((text, index) => {
        const vector = hashVector(text);
        onVector?.(index, vector);
        return vector;
      });
    },
  };
}

/** One for all texts, since none is left half done: a new one for each would be most of the garbage. */
const sums = new Float64Array(HASH_SPACE.dimensions);

/** The unit vector of one text. A text without any visible character has no direction: the first axis. */
export function hashVector(text: string): Float32Array {
  sums.fill(0);
  const classes = textClasses();
  const folded = text.normalize('NFKC').toLowerCase();
  let start = 0;
  for (let at = 0; at <= folded.length; at++) {
    const kind = at < folded.length ? classes[folded.charCodeAt(at)] : TEXT_CLASS.SPACE;
    if (kind === TEXT_CLASS.WORD || kind === TEXT_CLASS.IDEOGRAPH || kind === TEXT_CLASS.SURROGATE) continue;
    if (at > start) addWord(folded, start, at);
    // marks and symbols count a little, so that a text of nothing else still has a direction
    if (kind === TEXT_CLASS.OTHER) add(hashOf(folded, at, at + 1, 3), TRIGRAM_WEIGHT / 4);
    start = at + 1;
  }
  return normalised();
}

function addWord(text: string, start: number, end: number): void {
  const weight = Math.min(1, (end - start) / FULL_WEIGHT_LENGTH);
  add(hashOf(text, start, end, 1), WORD_WEIGHT * weight);
  for (let at = start; at + 3 <= end; at++) add(hashOf(text, at, at + 3, 2), TRIGRAM_WEIGHT * weight);
  // a run of ideographs is a sentence rather than a word: its characters and pairs stand for words
  const classes = textClasses();
  for (let at = start; at < end; at++) {
    if (classes[text.charCodeAt(at)] !== TEXT_CLASS.IDEOGRAPH) continue;
    add(hashOf(text, at, at + 1, 4), TRIGRAM_WEIGHT);
    if (at + 1 < end) add(hashOf(text, at, at + 2, 5), WORD_WEIGHT);
  }
}

function add(hash: number, weight: number): void {
  const axis = hash & 0xff;
  sums[axis]! += hash & 0x100 ? weight : -weight;
}

/** FNV-1a over UTF-16 code units with a finishing mix (its low bits alone are too regular); `kind` keeps features apart. */
function hashOf(text: string, start: number, end: number, kind: number): number {
  let hash = 0x811c9dc5 ^ kind;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

function normalised(): Float32Array {
  let squares = 0;
  for (const sum of sums) squares += sum * sum;
  const vector = new Float32Array(sums.length);
  if (squares === 0) {
    vector[0] = 1;
    return vector;
  }
  const scale = 1 / Math.sqrt(squares);
  for (let axis = 0; axis < sums.length; axis++) vector[axis] = sums[axis]! * scale;
  return vector;
}

const LETTERS_PER_TOKEN = 4;

/**
 * Tokens of a text, about as a word-piece vocabulary would have them: a run of letters and digits is one token per four
 * code units begun, an ideograph and any other visible character (a surrogate pair) is one each, white space and invisible
 * characters are none. Cutting a text in two never lowers the sum, and a part never counts more than the whole.
 */
export function countHashTokens(text: string): number {
  const classes = textClasses();
  let tokens = 0;
  let run = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    const kind = classes[unit]!;
    if (kind === TEXT_CLASS.WORD) {
      if (run++ % LETTERS_PER_TOKEN === 0) tokens++;
      continue;
    }
    run = 0;
    // the second half of a surrogate pair comes with the first
    if (kind === TEXT_CLASS.SURROGATE ? unit < 0xdc00 : kind === TEXT_CLASS.IDEOGRAPH || kind === TEXT_CLASS.OTHER)
      tokens++;
  }
  return tokens;
}
