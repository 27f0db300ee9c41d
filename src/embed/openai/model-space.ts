import { AppError } from '../../errors.js';
import type { EmbedderSpace } from '../embedder.js';

export const DEFAULT_OPENAI_MODEL = 'text-embedding-3-small';
/** OpenAI refuses a longer input; also what is assumed of models that are not known here. */
const OPENAI_INPUT_TOKENS = 8_191;
/** Tokens are counted in OpenAI's vocabulary; a model with another one may count a third more. */
const FOREIGN_SHARE = 0.75;

interface KnownModel {
  readonly dimensions: number;
  readonly inputTokens: number;
  /** Takes the `dimensions` parameter (Matryoshka representation learning, Kusupati et al. 2022). */
  readonly shortens?: boolean;
  readonly languages?: readonly string[];
}

/** Models that people serve behind this API, from their model cards; without Ollama's `:tag` and the owner's name. */
const KNOWN_MODELS: Readonly<Record<string, KnownModel>> = {
  'text-embedding-3-small': { dimensions: 1_536, inputTokens: OPENAI_INPUT_TOKENS, shortens: true },
  'text-embedding-3-large': { dimensions: 3_072, inputTokens: OPENAI_INPUT_TOKENS, shortens: true },
  'text-embedding-ada-002': { dimensions: 1_536, inputTokens: OPENAI_INPUT_TOKENS },
  'jina-embeddings-v3': { dimensions: 1_024, inputTokens: 8_192 * FOREIGN_SHARE, shortens: true },
  'nomic-embed-text': { dimensions: 768, inputTokens: 2_048 * FOREIGN_SHARE, languages: ['en'] },
  'nomic-embed-text-v1.5': { dimensions: 768, inputTokens: 2_048 * FOREIGN_SHARE, languages: ['en'] },
  'mxbai-embed-large': { dimensions: 1_024, inputTokens: 512 * FOREIGN_SHARE, languages: ['en'] },
  'mxbai-embed-large-v1': { dimensions: 1_024, inputTokens: 512 * FOREIGN_SHARE, languages: ['en'] },
  'all-minilm': { dimensions: 384, inputTokens: 256 * FOREIGN_SHARE, languages: ['en'] },
  'all-minilm-l6-v2': { dimensions: 384, inputTokens: 256 * FOREIGN_SHARE, languages: ['en'] },
  'bge-m3': { dimensions: 1_024, inputTokens: 8_192 * FOREIGN_SHARE },
  'bge-small-en-v1.5': { dimensions: 384, inputTokens: 512 * FOREIGN_SHARE, languages: ['en'] },
  'bge-base-en-v1.5': { dimensions: 768, inputTokens: 512 * FOREIGN_SHARE, languages: ['en'] },
  'bge-large-en-v1.5': { dimensions: 1_024, inputTokens: 512 * FOREIGN_SHARE, languages: ['en'] },
  'snowflake-arctic-embed': { dimensions: 1_024, inputTokens: 512 * FOREIGN_SHARE, languages: ['en'] },
  'multilingual-e5-large': { dimensions: 1_024, inputTokens: 512 * FOREIGN_SHARE },
};

export interface OpenaiModel {
  readonly space: EmbedderSpace;
  /** Sent as `dimensions` when not null. */
  readonly requestedDimensions: number | null;
}

/** @throws AppError BAD_USER_INPUT when the model's dimensions are not known and not given, or cannot be had. */
export function openaiModel(model: string, dimensions: number | null): OpenaiModel {
  const known = KNOWN_MODELS[model] ?? KNOWN_MODELS[model.toLowerCase().replace(/^.*\//, '').replace(/:.*$/, '')];
  if (!known && dimensions === null) {
    throw new AppError(
      'BAD_USER_INPUT',
      `The dimensions of the embedding model "${model}" are not known here: set EMBEDDING_DIMENSIONS to the length of its vectors`,
      { details: { unknownDimensions: true } },
    );
  }
  if (
    known &&
    dimensions !== null &&
    dimensions !== known.dimensions &&
    !(known.shortens && dimensions < known.dimensions)
  ) {
    throw new AppError(
      'BAD_USER_INPUT',
      `Expected ${known.shortens ? 'at most ' : ''}${known.dimensions} dimensions for the embedding model "${model}", got ${dimensions}`,
    );
  }
  return {
    space: {
      provider: 'openai',
      model,
      dimensions: dimensions ?? known!.dimensions,
      similarity: 'cosine',
      maxInputTokens: Math.floor(known?.inputTokens ?? OPENAI_INPUT_TOKENS),
      languages: known?.languages ?? null,
    },
    requestedDimensions: known && dimensions !== null && dimensions !== known.dimensions ? dimensions : null,
  };
}
