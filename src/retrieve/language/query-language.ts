/**
 * The language of a query, as a BCP 47 primary subtag; null when a few words do not tell. It chooses the analyzer of the
 * text leg and says whether the embedding model knows what is asked.
 */
export async function queryLanguage(query: string): Promise<string | null> {
  const sample = query.slice(0, SAMPLE);
  return languageOfScript(sample) ?? (await languageOfWords(sample));
}

/** Enough for a sure answer; detection is linear in the text. */
const SAMPLE = 500;

/** Scripts that one language (or one analyzer's languages) are written in, the rarer sign of a language first. */
const SCRIPTS: readonly (readonly [RegExp, string])[] = [
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/gu, 'ja'],
  [/\p{Script=Hangul}/gu, 'ko'],
  [/\p{Script=Han}/gu, 'zh'],
  [/\p{Script=Thai}/gu, 'th'],
  [/\p{Script=Greek}/gu, 'el'],
  [/\p{Script=Hebrew}/gu, 'he'],
  [/\p{Script=Armenian}/gu, 'hy'],
  [/\p{Script=Georgian}/gu, 'ka'],
  [/\p{Script=Bengali}/gu, 'bn'],
  [/\p{Script=Tamil}/gu, 'ta'],
];
/** Of all letters. One character of Han or Thai stands for more than one of an alphabet. */
const LEAST_SHARE = 0.2;

/** By script alone, where that decides; a product name in Latin letters within a Chinese question does not. */
export function languageOfScript(text: string): string | null {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  if (letters === 0) return null;
  for (const [script, language] of SCRIPTS) {
    const share = (text.match(script)?.length ?? 0) / letters;
    if (share >= LEAST_SHARE) return language;
  }
  return null;
}

/** By the letter sequences of its words. Loaded at the first use (some 300 ms): see `warmUp`. */
async function languageOfWords(text: string): Promise<string | null> {
  const { eld } = await import('eld/small');
  const detected = eld.detect(text);
  return detected.language !== '' && detected.isReliable() ? detected.language : null;
}

/** Loads the detector, so that the first search does not wait for it. */
export async function warmUp(): Promise<void> {
  await queryLanguage('a question in plain words');
}
