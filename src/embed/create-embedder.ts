import { AppError } from '../errors.js';
import { contractEmbedder } from './contract.js';
import type { Embedder, EmbedderSpace } from './embedder.js';
import { createHashEmbedder } from './hash.js';

/** What an embedder is made of. A field left out or null takes the provider's default. */
export interface EmbedderSettings {
  readonly provider: EmbedderSpace['provider'];
  readonly model?: string | null;
  readonly dimensions?: number | null;
  /** openai: never logged, never in a message. */
  readonly apiKey?: string | null;
  /** openai: any OpenAI-compatible endpoint. */
  readonly baseUrl?: string | null;
}

/** The embedder for `settings`, inside the contract. Loads nothing heavy: models and tokenizers come with the first use. */
export function createEmbedder(settings: EmbedderSettings): Embedder {
  switch (settings.provider) {
    case 'hash':
      return contractEmbedder(createHashEmbedder());
    case 'openai':
    case 'bundled':
      throw new AppError('NOT_IMPLEMENTED', `The ${settings.provider} embedder is not built yet: use hash`);
  }
}
