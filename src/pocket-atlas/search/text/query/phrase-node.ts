import { analyzerNamed, tokensOf } from '../analysis/analyzers.js';
import type { Node } from './node.js';
import type { StringPath } from './paths.js';

/** A phrase of one word is that word. */
export function phraseNode(query: string, { key, field }: StringPath, slop: number): Node {
  const words = tokensOf(analyzerNamed(field.searchAnalyzer), query);
  if (words.length === 0) return { kind: 'none' };
  if (words.length === 1) return { kind: 'words', key, words: [words[0]!.term], require: 'any', fuzzy: null };
  return { kind: 'phrase', key, words, slop };
}
