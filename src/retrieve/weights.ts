import type { SpaceRecord } from '../store/records.js';

/** How much each leg of HYBRID counts; 0 drops the leg. */
export interface Weights {
  readonly vector: number;
  readonly text: number;
}

/**
 * What a space's vector leg is worth beside BM25 while nobody has calibrated it, from `npm run evaluate -- --calibrate`
 * on the public sets: small models that run anywhere are far weaker than BM25 and spoil it at equal weights.
 */
const DEFAULTS: Readonly<Record<SpaceRecord['provider'], Weights>> = {
  bundled: { vector: 0.2, text: 1 },
  hash: { vector: 0.1, text: 1 },
  openai: { vector: 1, text: 1 },
};

/**
 * The weights for a question in `language` (null: unknown). A model that does not know the language ranks by chance:
 * its leg is dropped. What the caller asks for counts as it is.
 */
export function weightsFor(space: SpaceRecord, language: string | null, asked: Weights | undefined): Weights {
  if (asked !== undefined) return asked;
  const calibrated = space.weights ?? DEFAULTS[space.provider];
  return knows(space, language) ? calibrated : { ...calibrated, vector: 0 };
}

function knows(space: SpaceRecord, language: string | null): boolean {
  return language === null || space.languages === null || space.languages.includes(language);
}
