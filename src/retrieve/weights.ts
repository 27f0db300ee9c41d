import type { SpaceRecord } from '../store/records.js';

/** How much each leg of HYBRID counts; 0 drops the leg. */
export interface Weights {
  readonly vector: number;
  readonly text: number;
}

/**
 * How HYBRID joins its legs. Normalised scores measure better on every set that was tried (docs/EVALUATION.md), because
 * they know by how much a leg prefers a hit. Weights that the caller gives mean what they mean in `$rankFusion`: such a
 * search fuses by reciprocal rank, and `explainSearch` prints the stage that does the same.
 */
export type Fusion = 'NORMALISED_SCORES' | 'RECIPROCAL_RANK';

export function fusionFor(asked: Weights | undefined): Fusion {
  return asked === undefined ? 'NORMALISED_SCORES' : 'RECIPROCAL_RANK';
}

/**
 * What a space's vector leg is worth beside BM25 while nobody has calibrated it, from `npm run evaluate -- --calibrate` on
 * public sets: small models that run anywhere are weaker than BM25, and at equal weights they spoil it.
 */
const DEFAULTS: Readonly<Record<SpaceRecord['provider'], Weights>> = {
  bundled: { vector: 0.15, text: 1 },
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
