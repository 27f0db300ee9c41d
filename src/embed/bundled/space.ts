import type { EmbedderSpace } from '../embedder.js';

/** Universal Sentence Encoder Lite (Cer et al., "Universal Sentence Encoder", 2018), as packaged for npm. */
export const BUNDLED_SPACE: EmbedderSpace = {
  provider: 'bundled',
  model: 'universal-sentence-encoder-lite',
  dimensions: 512,
  similarity: 'cosine',
  maxInputTokens: 256,
  languages: ['en'],
};
