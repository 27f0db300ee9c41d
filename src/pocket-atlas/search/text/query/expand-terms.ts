import type { Segment } from '../index/segment.js';
import type { Fuzzy } from './node.js';

/** An index term that stands for a query word; `boost` below 1 for a fuzzy one. */
export interface ExpandedTerm {
  readonly term: string;
  readonly boost: number;
}

/**
 * Index terms within `maxEdits` of a word (a swap of neighbours counts as one edit), the closest first. The boost is
 * 1 − edits / the shorter length, as in Lucene's FuzzyTermsEnum.
 */
export function fuzzyTerms(segments: readonly Segment[], key: string, word: string, fuzzy: Fuzzy): ExpandedTerm[] {
  const characters = [...word];
  const prefix = characters.slice(0, fuzzy.prefixLength).join('');
  const found = new Map<string, number>();
  for (const segment of segments) {
    const dictionary = segment.words.get(key)?.dictionary;
    if (dictionary === undefined) continue;
    const { start, end } = dictionary.prefixRange(prefix);
    for (let ordinal = start; ordinal < end; ordinal++) {
      // a byte length that differs by more than 4 bytes an edit cannot be within reach
      const bytes = dictionary.offsets[ordinal + 1]! - dictionary.offsets[ordinal]!;
      if (bytes < characters.length - fuzzy.maxEdits || bytes > (characters.length + fuzzy.maxEdits) * 4) continue;
      const term = dictionary.term(ordinal);
      if (found.has(term)) continue;
      const other = [...term];
      const edits = editDistance(characters, other, fuzzy.maxEdits);
      if (edits <= fuzzy.maxEdits)
        found.set(term, edits === 0 ? 1 : 1 - edits / Math.min(characters.length, other.length));
    }
  }
  return Array.from(found, ([term, boost]) => ({ term, boost }))
    .filter(({ boost }) => boost > 0)
    .sort((a, b) => b.boost - a.boost || (a.term < b.term ? -1 : 1))
    .slice(0, fuzzy.maxExpansions);
}

/** Damerau-Levenshtein distance (optimal string alignment); anything above `most` is reported as `most + 1`. */
export function editDistance(a: readonly string[], b: readonly string[], most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    let lowest = i;
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(previous[j]! + 1, current[j - 1]! + 1, previous[j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, before[j - 2]! + 1);
      current.push(cost);
      lowest = Math.min(lowest, cost);
    }
    if (lowest > most) return most + 1;
    before = previous;
    previous = current;
  }
  return Math.min(previous[b.length]!, most + 1);
}

/** A pattern with `*` (any run) and `?` (any one character), `\` before either to mean itself. */
export function compileWildcard(pattern: string): { prefix: string; pattern: RegExp } {
  let source = '';
  let prefix = '';
  let literal = true;
  for (let i = 0; i < pattern.length; i++) {
    const character = pattern[i]!;
    if (character === '*' || character === '?') {
      literal = false;
      // runs of stars are one star: the expression stays linear
      if (character === '?') source += '.';
      else if (!source.endsWith('.*')) source += '.*';
      continue;
    }
    const meant = character === '\\' && i + 1 < pattern.length ? pattern[++i]! : character;
    source += meant.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
    if (literal) prefix += meant;
  }
  // a prefix that ends inside a surrogate pair would match no byte range
  return { prefix: prefix.isWellFormed() ? prefix : '', pattern: new RegExp(`^${source}$`, 'su') };
}
