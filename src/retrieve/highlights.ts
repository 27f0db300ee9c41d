import type { Passage } from '../store/search/search-store.js';
import { type Stem, unchanged } from './language/stems.js';
import type { Highlight } from './retrieve.js';
import { wordsOf } from './words.js';

/** Characters around a matched word that we mark ourselves. */
const CONTEXT = 80;
const MAX_HIGHLIGHTS = 3;

/**
 * Where the index's passages lie in the text. It returns their words without offsets; a passage that occurs several
 * times takes the places in order. What is not found in the text as it stands is left out. Pure.
 */
export function placePassages(text: string, passages: readonly Passage[]): Highlight[] {
  const taken = new Map<string, number>();
  const placed = passages.flatMap(({ pieces }) => {
    const passage = pieces.map(({ value }) => value).join('');
    if (passage === '') return [];
    const start = text.indexOf(passage, taken.get(passage) ?? 0);
    if (start === -1) return [];
    taken.set(passage, start + passage.length);
    return [{ text: passage, start, end: start + passage.length }];
  });
  return placed.sort((a, b) => a.start - b.start);
}

/**
 * Passages around the query's words, for a hit that the text index does not have yet. The best places come first by how
 * many different words they hold. Pure.
 */
export function markWords(text: string, query: string, stem: Stem = unchanged): Highlight[] {
  const wanted = new Set(wordsOf(query).map(({ term }) => stem(term)));
  const matched = wordsOf(text)
    .map((word) => ({ ...word, term: stem(word.term) }))
    .filter(({ term }) => wanted.has(term));
  const passages: { start: number; end: number; terms: Set<string> }[] = [];
  for (const { term, start, end } of matched) {
    const last = passages.at(-1);
    if (last !== undefined && start - last.end <= CONTEXT) {
      last.end = end;
      last.terms.add(term);
    } else passages.push({ start, end, terms: new Set([term]) });
  }
  return passages
    .sort((a, b) => b.terms.size - a.terms.size || a.start - b.start)
    .slice(0, MAX_HIGHLIGHTS)
    .map(({ start, end }) => widened(text, start, end))
    .sort((a, b) => a.start - b.start);
}

/** To the words around it. Never through a surrogate pair, because it only moves to white space. */
function widened(text: string, start: number, end: number): Highlight {
  const before = text.slice(Math.max(0, start - CONTEXT), start);
  const after = text.slice(end, end + CONTEXT);
  const from = start - before.length + (before.length < CONTEXT ? 0 : firstBreak(before));
  const to = end + (after.length < CONTEXT ? after.length : lastBreak(after));
  return { text: text.slice(from, to), start: from, end: to };
}

function firstBreak(before: string): number {
  const at = before.search(/\s\S/u);
  return at === -1 ? before.length : at + 1;
}

function lastBreak(after: string): number {
  return Math.max(0, after.trimEnd().search(/\s\S*$/u));
}
