import type { Embedder } from '../../embed/embedder.js';
import { AppError, Refusal } from '../../errors.js';

/**
 * Asks a model that a database is to be moved to for one vector, before anything is made: a wrong key or name shows here,
 * and not in a job. Failures name the mutation's arguments, where the embedder's own name the settings of a start.
 * Throws `Refusal` INVALID for other dimensions than asked for, and what the embedder throws.
 */
export async function tryModel(embedder: Embedder, signal: AbortSignal): Promise<void> {
  try {
    await embedder.embed(['gazetteer'], { kind: 'query', signal });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'PROVIDER_UNAVAILABLE') throw error;
    const { code, message, details } = error;
    const { model, dimensions } = embedder.space;
    if (typeof details.gotDimensions === 'number')
      throw new Refusal(
        'INVALID',
        `The model ${JSON.stringify(model)} answers with ${details.gotDimensions} dimensions, expected ${dimensions}: ` +
          `give dimensions: ${details.gotDimensions}, or another model`,
        ['input', 'dimensions'],
        { cause: error },
      );
    throw new AppError(code, message.replace('EMBEDDING_MODEL', 'input.model'), { cause: error, details });
  }
}
