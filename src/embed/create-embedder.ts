import { createBundledEmbedder } from './bundled/bundled.js';
import { contractEmbedder } from './contract.js';
import type { Embedder, EmbedderSpace } from './embedder.js';
import { createHashEmbedder } from './hash.js';
import { createOpenaiEmbedder } from './openai/openai.js';
import { cachedQueries } from './query-cache.js';
import type { RateBudget } from './rate-budget.js';
import { windowedEmbedder } from './windowed.js';

/** What an embedder is made of. A field left out or null takes the provider's default. */
export interface EmbedderSettings {
  readonly provider: EmbedderSpace['provider'];
  readonly model?: string | null;
  readonly dimensions?: number | null;
  /** openai: never logged, never in a message. */
  readonly apiKey?: string | null;
  /** openai: any OpenAI-compatible endpoint. */
  readonly baseUrl?: string | null;
  /** openai: pieces of one document are embedded in view of each other, where the endpoint can. */
  readonly lateChunking?: boolean;
  /** openai: one for all embedders of the account. */
  readonly budget?: RateBudget;
}

/** The embedder for `settings`, inside the contract. Loads nothing heavy: models and tokenizers come with the first use. */
export function createEmbedder(settings: EmbedderSettings): Embedder {
  const provider = contractEmbedder(providerOf(settings));
  return cachedQueries(contractEmbedder(windowedEmbedder(provider)));
}

function providerOf(settings: EmbedderSettings): Embedder {
  switch (settings.provider) {
    case 'hash':
      return createHashEmbedder();
    case 'openai':
      return createOpenaiEmbedder(settings);
    case 'bundled':
      return createBundledEmbedder();
  }
}
