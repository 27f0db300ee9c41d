import DataLoader from 'dataloader';

/** Embeds questions in the active space, in order. One call is one provider request. */
export type EmbedQueries = (queries: readonly string[], signal: AbortSignal) => Promise<Float32Array[]>;

/**
 * One embedding request for all the `search` fields of a GraphQL request.
 *
 * Searches reach the point where they need a vector at different moments, so a batch by tick would split them. Instead
 * every search takes a ticket when it starts and settles it when it asks for a vector or turns out not to need one;
 * the request goes out when the last ticket is settled.
 */
export class QueryEmbedding {
  readonly #loader: DataLoader<string, Float32Array>;
  #unsettled = 0;
  #dispatch: (() => void)[] = [];

  constructor(embedQueries: EmbedQueries, signal: AbortSignal) {
    this.#loader = new DataLoader((queries) => embedQueries(queries, signal), {
      batchScheduleFn: (dispatch) => {
        this.#dispatch.push(dispatch);
        // not at once: the loader adds the question to the batch after it has scheduled it
        queueMicrotask(() => this.#dispatchWhenSettled());
      },
    });
  }

  /** Runs one search with the function that embeds its question. */
  async during<T>(search: (embedQuery: (query: string) => Promise<Float32Array>) => Promise<T>): Promise<T> {
    this.#unsettled += 1;
    let settled = false;
    const settle = () => {
      if (settled) return;
      settled = true;
      this.#unsettled -= 1;
      this.#dispatchWhenSettled();
    };
    try {
      return await search((query) => {
        const vector = this.#loader.load(query);
        settle();
        return vector;
      });
    } finally {
      settle();
    }
  }

  #dispatchWhenSettled(): void {
    if (this.#unsettled > 0) return;
    const waiting = this.#dispatch;
    this.#dispatch = [];
    for (const dispatch of waiting) dispatch();
  }
}
