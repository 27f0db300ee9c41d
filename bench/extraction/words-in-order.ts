/**
 * Share of the reference's words that a text has in the same order: the longest common subsequence, by its length in
 * words. Case, punctuation at the ends of words and the forms of letters (ligatures, width) do not count.
 */
export function wordsInOrder(text: string, reference: string): number {
  const expected = wordsOf(reference);
  if (expected.length === 0) return 1;
  return longestCommon(expected, wordsOf(text)) / expected.length;
}

const SPACELESS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu;

export function wordsOf(text: string): string[] {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\u00ad\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g, '')
    .replace(SPACELESS, ' $& ')
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .filter((word) => word !== '');
}

/** By bits, 32 words of `a` at a time (Hyyrö 2004): papers have tens of thousands of words. */
function longestCommon(a: readonly string[], b: readonly string[]): number {
  const size = Math.ceil(a.length / 32);
  const places = new Map<string, Uint32Array>();
  for (const [i, word] of a.entries()) {
    let mask = places.get(word);
    if (!mask) {
      mask = new Uint32Array(size);
      places.set(word, mask);
    }
    mask[i >>> 5]! |= 1 << (i & 31);
  }
  const row = new Uint32Array(size).fill(0xffffffff);
  for (const word of b) {
    const mask = places.get(word);
    if (!mask) continue;
    let carry = 0;
    for (let i = 0; i < size; i++) {
      const v = row[i]!;
      const u = v & mask[i]!;
      const sum = v + (u >>> 0) + carry;
      carry = sum > 0xffffffff ? 1 : 0;
      row[i] = (sum | (v & ~mask[i]!)) >>> 0;
    }
  }
  let common = 0;
  for (let i = 0; i < a.length; i++) if (((row[i >>> 5]! >>> (i & 31)) & 1) === 0) common++;
  return common;
}
