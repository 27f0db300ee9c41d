import { AppError } from '../errors.js';
import type { DocumentRecord, SpaceRecord } from '../store/records.js';
import { describeSpace } from '../store/space-choice.js';
import { type Attempt, withSignal } from './attempt.js';
import type { EmbedString } from './cut-text.js';
import type { CountedString } from './embed-strings.js';
import { SpaceVectors } from './space-vectors.js';
import type { Wanted } from './wanted.js';

/** What one space lacks for a version. */
export interface MissingVectors {
  readonly space: SpaceRecord;
  /** Without those whose vectors the stored document holds. */
  readonly strings: ReadonlyMap<string, CountedString>;
  readonly vectors: SpaceVectors;
}

/** Per space of the version, the active one first. Embeds nothing. */
export async function missingVectors(
  attempt: Attempt,
  stored: DocumentRecord | null,
  wanted: Wanted,
  strings: ReadonlyMap<string, EmbedString>,
): Promise<readonly MissingVectors[]> {
  const { parts, scope } = attempt;
  const missing: MissingVectors[] = [];
  for (const [index, space] of [wanted.space, ...wanted.otherSpaces].entries()) {
    const held =
      stored === null || stored.version === 0
        ? new Set<string>()
        : await parts.store.storedEmbedHashes(scope, stored.id, space.id, [...strings.keys()]);
    const counted = new Map<string, CountedString>();
    for (const [hash, { text, tokens, group }] of strings)
      if (!held.has(hash))
        counted.set(hash, { text, tokens: tokens[index] ?? 0, ...(group !== undefined && { group }) });
    const vectors = vectorsOf(attempt, space);
    await vectors.recall(counted);
    missing.push({ space, strings: counted, vectors });
  }
  return missing;
}

/** What a provider has to do: what it did for this owner lately costs nothing. */
export function costOf(missing: readonly MissingVectors[]): { chunksEmbedded: number; embeddingTokens: number } {
  const embedded = new Set<string>();
  let embeddingTokens = 0;
  for (const { strings, vectors } of missing)
    for (const [hash, { tokens }] of strings) {
      if (vectors.isRecalled(hash)) continue;
      embedded.add(hash);
      embeddingTokens += tokens;
    }
  return { chunksEmbedded: embedded.size, embeddingTokens };
}

/** By space id, then by hash. */
export async function embedMissing(
  attempt: Attempt,
  missing: readonly MissingVectors[],
): Promise<ReadonlyMap<string, ReadonlyMap<string, Float32Array>>> {
  const { onProgress } = attempt.options;
  const vectorsBySpace = new Map<string, ReadonlyMap<string, Float32Array>>();
  for (const { space, strings, vectors } of missing) {
    try {
      const embedded = await vectors.embed(strings, {
        ...withSignal(attempt),
        ...(onProgress && { onProgress: (done, total) => onProgress({ phase: 'embedding', done, total }) }),
      });
      vectorsBySpace.set(space.id, embedded);
    } catch (error) {
      throw namingOtherSpace(space, error);
    }
  }
  return vectorsBySpace;
}

/** Whoever reads of a model that no search uses should learn why an upsert needs it. */
function namingOtherSpace(space: SpaceRecord, error: unknown): unknown {
  if (space.state === 'ACTIVE' || !(error instanceof AppError)) return error;
  return new AppError(
    error.code,
    `${error.message}. An upsert also needs ${describeSpace(space)}, the ${space.state} embedding space beside the active one: dropEmbeddingSpace ends that`,
    { cause: error, details: { ...error.details } },
  );
}

function vectorsOf({ parts, scope, vectors, options }: Attempt, space: SpaceRecord): SpaceVectors {
  const known = vectors.get(space.id);
  if (known !== undefined) return known;
  const made = new SpaceVectors(parts, scope, parts.embedderOf(space), {
    mayKeep: true,
    keepsAll: options.wasInterrupted ?? false,
  });
  vectors.set(space.id, made);
  return made;
}
