/** Orders passages by how well they answer a query. */
export interface Reranker {
  /**
   * One score per text, in the order of `texts`, on the model's own scale, higher is better. Throws `AppError`
   * PROVIDER_UNAVAILABLE or DEADLINE_EXCEEDED.
   */
  rerank(query: string, texts: readonly string[], signal: AbortSignal): Promise<readonly number[]>;
}

/** Candidates that are reordered. More cost time and money, and rarely move anything into the first ten. */
export const DEFAULT_RERANK_COUNT = 50;
