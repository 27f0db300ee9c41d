/** Lucene refuses a query of more Boolean clauses; every term is a clause for each path that it is searched in. */
const MAX_CLAUSES = 1_000;

// One word, or one character of a script that analyzers split into characters or pairs of them.
const TERM =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Hangul}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]|(?:(?!\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Thai}|\p{Script=Hangul}|\p{Script=Lao}|\p{Script=Khmer}|\p{Script=Myanmar})[\p{L}\p{N}\p{M}_])+/gu;

/**
 * What of a query is searched: all of it, or, where it holds more terms than a query may have clauses, the text up to
 * the last term that fits, repeated words left out.
 */
export function queryTerms(query: string, paths: number): string {
  const limit = Math.floor(MAX_CLAUSES / paths);
  const terms = [...query.matchAll(TERM)];
  if (terms.length <= limit) return query;
  const seen = new Set<string>();
  const kept: string[] = [];
  let end = -1;
  for (const { 0: term, index } of terms) {
    const word = term.toLowerCase();
    if (word.length > 2 && seen.has(word)) continue;
    seen.add(word);
    if (kept.length === limit) break;
    // Neighbouring characters of a script without spaces stay together: pairs of them are what is searched.
    if (index === end) kept.push(term);
    else kept.push(kept.length === 0 ? term : ` ${term}`);
    end = index + term.length;
  }
  return kept.join('');
}
