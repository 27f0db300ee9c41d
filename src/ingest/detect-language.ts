/** Characters of a text that are looked at: language shows early, and detection is not free. */
const SAMPLE_LENGTH = 4_000;
/** Fewer letters than twelve say nothing reliable. */
const ENOUGH_LETTERS = /(?:\P{L}*\p{L}){12}/u;

/** The language of a text as a BCP 47 primary subtag, or null when it cannot be told. */
export type DetectLanguage = (text: string) => Promise<string | null>;

/** By `eld` (n-grams, 60 languages), which also tells how sure it is. Loaded with the first text: it takes 0.3 s. */
export const detectLanguage: DetectLanguage = async (text) => {
  const sample = middleOf(text);
  if (!ENOUGH_LETTERS.test(sample)) return null;
  const detector = await loadDetector();
  const found = detector.detect(sample);
  return found.language !== '' && found.isReliable() ? found.language : null;
};

/** Title pages, tables of contents and licences stand at the edges. */
function middleOf(text: string): string {
  if (text.length <= SAMPLE_LENGTH) return text;
  const start = Math.floor((text.length - SAMPLE_LENGTH) / 2);
  return text.slice(start, start + SAMPLE_LENGTH).toWellFormed();
}

interface Detector {
  detect(text: string): { readonly language: string; isReliable(): boolean };
}

let loading: Promise<Detector> | undefined;

function loadDetector(): Promise<Detector> {
  loading ??= import('eld/small').then((module) => module.default as Detector);
  return loading;
}
