/** What every embedding provider offers. `embed` returns one vector per text, in order, each of `space.dimensions`. */
export interface Embedder {
  readonly space: EmbedderSpace;
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
}
