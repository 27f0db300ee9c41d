/** Texts that look like documents to an index: words by a Zipf-like law, sentences and paragraphs, the same in every run. */
const VOCABULARY = 20_000;

export function makeRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    // Lehmer's generator modulo 2^31 - 1; source: Park and Miller, 1988
    state = Number((BigInt(state || 1) * 48_271n) % 2_147_483_647n);
    return state / 2_147_483_647;
  };
}

export function makeWords(random: () => number): () => string {
  const names = Array.from({ length: VOCABULARY }, (_, i) => wordNumber(i));
  return () => names[Math.floor(Math.exp(random() * Math.log(VOCABULARY))) - 1]!;
}

/** Pronounceable and distinct: syllables in base 70. */
function wordNumber(n: number): string {
  const consonants = 'bcdfghklmnprst';
  const vowels = 'aeiou';
  let word = '';
  let rest = n + 70;
  while (rest > 0) {
    word += consonants[rest % 14]! + vowels[Math.floor(rest / 14) % 5]!;
    rest = Math.floor(rest / 70);
  }
  return word;
}

/** Paragraphs of about 60 words. */
export function makeText(words: () => string, paragraphs: number): string {
  return Array.from({ length: paragraphs }, () =>
    Array.from({ length: 5 }, () => `${Array.from({ length: 12 }, words).join(' ')}.`).join(' '),
  ).join('\n\n');
}
