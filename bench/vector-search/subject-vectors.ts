/**
 * Made-up embeddings: unit vectors around the centres of subjects, as texts on a subject lie together. Deterministic. The
 * spread is chosen so that neighbours have cosines of about 0.5, as sentence embeddings do, and lists of the nearest are long.
 */
export interface SubjectVectors {
  readonly subjects: number;
  /** A vector about a subject. */
  next(subject: number): Float32Array;
}

const SPREAD = 0.9;

export function subjectVectors(dimensions: number, subjects: number, seed: number): SubjectVectors {
  const random = pseudoRandom(seed);
  const normal = () => normalDeviate(random);
  const centres = Float32Array.from({ length: subjects * dimensions }, normal);
  return {
    subjects,
    next(subject) {
      const vector = new Float32Array(dimensions);
      for (let i = 0; i < dimensions; i++)
        vector[i] = (centres[subject * dimensions + i] as number) + SPREAD * normal();
      const norm = Math.hypot(...vector);
      return vector.map((value) => value / norm);
    },
  };
}

/** Numbers in [0, 1). Source: T. Ettinger's mulberry32. */
export function pseudoRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Nearly normal: the sum of four uniform numbers, scaled to variance 1. */
function normalDeviate(random: () => number): number {
  return (random() + random() + random() + random() - 2) * Math.sqrt(3);
}
