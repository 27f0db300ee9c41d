import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** Makes a word, in lower case, what all its forms have in common. */
export type Stem = (word: string) => string;

/** Of analyzers that stem, the modules of `@orama/stemmers` whose names differ from the analyzer's. */
const OTHER_NAMES: Readonly<Record<string, string>> = { hindi: 'indian' };

const STEMMERS: ReadonlySet<string> = new Set(
  (
    'arabic armenian bulgarian danish dutch english finnish french german greek hungarian indian indonesian irish ' +
    'italian lithuanian norwegian portuguese romanian russian spanish swedish turkish ukrainian'
  ).split(' '),
);

/**
 * The stemmer of an analyzer, roughly as the text index has it: for texts that the index does not know yet. null, or an
 * analyzer without one: words stay as they are. It remembers what it has stemmed: take a new one for each search.
 */
export function stemOf(analyzer: string | null): Stem {
  const name = analyzer === null ? '' : (OTHER_NAMES[analyzer] ?? analyzer);
  if (!STEMMERS.has(name)) return unchanged;
  const { stemmer } = require(`@orama/stemmers/${name}`) as { stemmer: Stem };
  // A few words make up most of a text, and one search may read a thousand chunks.
  const known = new Map<string, string>();
  return (word) => {
    const stem = known.get(word) ?? stemmer(word);
    known.set(word, stem);
    return stem;
  };
}

export const unchanged: Stem = (word) => word;
