import { AppError } from '../errors.js';
import type { Embedder, EmbedderSpace } from './embedder.js';
import { providerFailure } from './provider-failure.js';
import { isBlank } from './text-class.js';

/** How far from 1 a vector's length may be where the similarity needs unit vectors (float32 leaves about 1e-6). */
const UNIT_TOLERANCE = 1e-2;

/**
 * Holds a provider to the interface: as many vectors as texts, each of the space's dimensions, finite, and not zero.
 *
 * @throws AppError BAD_USER_INPUT for a blank text (nothing is sent); PROVIDER_UNAVAILABLE for an answer that breaks
 *   the contract, saying what was expected and what was got.
 */
export function contractEmbedder(inner: Embedder): Embedder {
  const { space } = inner;
  return {
    space,
    ...(inner.isInstant && { isInstant: inner.isInstant }),
    ...(inner.lateChunking && { lateChunking: inner.lateChunking }),
    countTokens: (text) => inner.countTokens(text),
    async embed(texts, options) {
      if (texts.length === 0) return [];
      texts.forEach((text, index) => {
        if (isBlank(text))
          throw new AppError('BAD_USER_INPUT', `Expected text to embed, got a blank text at index ${index}`);
      });
      if (options.signal?.aborted) throw abortError(options.signal, space);
      const { onVector } = options;
      const vectors = await inner
        .embed(texts, {
          ...options,
          ...(onVector && {
            onVector: (index: number, vector: Float32Array) => {
              checkVector(vector, index, space);
              onVector(index, vector);
            },
          }),
        })
        .catch((error: unknown) => {
          throw options.signal?.aborted ? abortError(options.signal, space) : error;
        });
      if (vectors.length !== texts.length)
        throw badAnswer(space, `Expected ${texts.length} vectors, got ${vectors.length}`);
      vectors.forEach((vector, index) => {
        checkVector(vector, index, space);
      });
      return vectors;
    },
    ...(inner.close && { close: () => inner.close!() }),
  };
}

/** A caller's time limit is a deadline; any other reason to stop is the caller's own and passes through. */
function abortError({ reason }: AbortSignal, space: EmbedderSpace): unknown {
  if (!(reason instanceof DOMException) || reason.name !== 'TimeoutError') return reason;
  return new AppError(
    'DEADLINE_EXCEEDED',
    `The embedding model ${space.model} did not answer within the time allowed`,
    {
      cause: reason,
      details: { provider: space.provider, retryable: true },
    },
  );
}

/** @throws AppError PROVIDER_UNAVAILABLE naming both sides. */
export function checkVector(vector: Float32Array, index: number, space: EmbedderSpace): void {
  if (!(vector instanceof Float32Array))
    throw badAnswer(space, `Expected a vector at index ${index}, got ${typeof vector}`);
  if (vector.length !== space.dimensions) {
    throw badAnswer(space, `Expected ${space.dimensions} dimensions, got ${vector.length}`, {
      gotDimensions: vector.length,
    });
  }
  let squares = 0;
  for (let axis = 0; axis < vector.length; axis++) squares += vector[axis]! * vector[axis]!;
  if (!Number.isFinite(squares))
    throw badAnswer(space, `Expected finite numbers in the vector at index ${index}, got NaN or infinity`);
  if (squares === 0) throw badAnswer(space, `Expected a direction in the vector at index ${index}, got all zeros`);
  if (space.similarity === 'dotProduct' && Math.abs(Math.sqrt(squares) - 1) > UNIT_TOLERANCE) {
    throw badAnswer(
      space,
      `Expected a vector of length 1 at index ${index}, got length ${Math.sqrt(squares).toFixed(3)}`,
    );
  }
}

function badAnswer(space: EmbedderSpace, problem: string, details: Record<string, unknown> = {}): AppError {
  return providerFailure(space.provider, 'BAD_ANSWER', `${problem} (model ${space.model})`, { details });
}
