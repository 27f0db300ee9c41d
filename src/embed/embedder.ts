/** What every embedding provider offers. `embed` returns one vector per text, in order, each of `space.dimensions`. */
export interface Embedder {
  readonly space: EmbedderSpace;
  /** Embedding a text again takes less than reading a kept vector: nothing is kept of it in the database. */
  readonly isInstant?: true;
  /**
   * The provider embeds pieces of one document in view of each other when it gets them in one request (`together`), at
   * most so many tokens of them (late chunking: Günther et al. 2024, arXiv:2409.04701). Absent: each for itself.
   */
  readonly lateChunking?: { readonly maxTokens: number };
  embed(texts: readonly string[], options: EmbedOptions): Promise<Float32Array[]>;
  /** Tokens as the embedding model counts them, special tokens included where the model adds them. */
  countTokens(text: string): number;
  close?(): Promise<void>;
}

export type Similarity = 'cosine' | 'dotProduct' | 'euclidean';

/** A model with its dimensions: vectors of different spaces are never compared. */
export interface EmbedderSpace {
  readonly provider: 'openai' | 'bundled' | 'hash';
  readonly model: string;
  readonly dimensions: number;
  readonly similarity: Similarity;
  /** A longer text is embedded as windows whose vectors are averaged. */
  readonly maxInputTokens: number;
  /** BCP 47 primary subtags that the model knows; null when it knows most languages. */
  readonly languages: readonly string[] | null;
}

export interface EmbedOptions {
  readonly kind: 'document' | 'query';
  readonly signal?: AbortSignal;
  /** Called as vectors arrive (index into `texts`), so that finished ones survive a later failure. */
  readonly onVector?: (index: number, vector: Float32Array) => void;
  /** The texts are one document's pieces in order, for one request: see `lateChunking`. */
  readonly together?: boolean;
}
