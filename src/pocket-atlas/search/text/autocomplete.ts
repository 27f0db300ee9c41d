import { analyzerNamed } from './analysis/analyzers.js';
import type { AutocompleteMapping } from './definition.js';

/**
 * The grams of a value under which autocomplete finds it: prefixes (edgeGram), suffixes (rightEdgeGram) or all pieces
 * (nGram) of each word, between minGrams and maxGrams characters. A shorter word is kept whole.
 * Source: MongoDB manual, "How to Index Fields for Autocompletion".
 */
export function gramsOf(
  value: string,
  field: AutocompleteMapping,
  emit: (gram: string, position: number) => void,
): void {
  analyzerNamed(field.analyzer)(value, (term, position) => {
    const characters = [...foldWord(term, field)];
    for (const gram of gramsOfWord(characters, field)) emit(gram, position);
  });
}

/** A query word as it is looked up: folded the same way, cut to the longest gram that is indexed. */
export function queryGram(term: string, field: AutocompleteMapping): string {
  const characters = [...foldWord(term, field)];
  if (characters.length <= field.maxGrams) return characters.join('');
  const kept =
    field.tokenization === 'rightEdgeGram' ? characters.slice(-field.maxGrams) : characters.slice(0, field.maxGrams);
  return kept.join('');
}

function* gramsOfWord(characters: readonly string[], field: AutocompleteMapping): Iterable<string> {
  const { minGrams, maxGrams, tokenization } = field;
  const length = characters.length;
  if (length < minGrams) {
    if (length > 0) yield characters.join('');
    return;
  }
  const starts = tokenization === 'nGram' ? length - minGrams + 1 : 1;
  for (let start = 0; start < starts; start++) {
    for (let size = minGrams; size <= Math.min(maxGrams, length - start); size++) {
      const piece =
        tokenization === 'rightEdgeGram' ? characters.slice(length - size) : characters.slice(start, start + size);
      yield piece.join('');
    }
  }
}

function foldWord(term: string, field: AutocompleteMapping): string {
  return field.foldDiacritics
    ? term
        .normalize('NFD')
        .replace(/\p{Mn}+/gu, '')
        .normalize('NFC')
    : term;
}
