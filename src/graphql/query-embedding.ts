import DataLoader from 'dataloader';
import type { SpaceRecord } from '../store/records.js';

/** Embeds questions in a space, in order. One call is one provider request. */
export type EmbedQueries = (
  queries: readonly string[],
  space: SpaceRecord,
  signal: AbortSignal,
) => Promise<Float32Array[]>;

interface Question {
  readonly query: string;
  readonly space: SpaceRecord;
}

/**
 * One embedding request for all the `search` fields of a GraphQL request.
 *
 * Searches reach the point where they need a vector at different moments, so a batch by tick would split them. Instead
 * every search takes a ticket when it starts and settles it when it asks for a vector or turns out not to need one;
 * the request goes out when the last ticket is settled. Where the active space is switched in the middle, a search still
 * gets its vector in the space that it searches.
 */
export class QueryEmbedding {
  readonly #loader: DataLoader<Question, Float32Array, string>;
  #unsettled = 0;
  #dispatch: (() => void)[] = [];

  constructor(embedQueries: EmbedQueries, signal: AbortSignal) {
    this.#loader = new DataLoader((questions) => embedBySpace(questions, embedQueries, signal), {
      cacheKeyFn: ({ query, space }) => `${space.id} ${query}`,
      batchScheduleFn: (dispatch) => {
        this.#dispatch.push(dispatch);
        // not at once: the loader adds the question to the batch after it has scheduled it
        queueMicrotask(() => this.#dispatchWhenSettled());
      },
    });
  }

  /** Runs one search with the function that embeds its question. */
  async during<T>(
    search: (embedQuery: (query: string, space: SpaceRecord) => Promise<Float32Array>) => Promise<T>,
  ): Promise<T> {
    this.#unsettled += 1;
    let settled = false;
    const settle = () => {
      if (settled) return;
      settled = true;
      this.#unsettled -= 1;
      this.#dispatchWhenSettled();
    };
    try {
      return await search((query, space) => {
        const vector = this.#loader.load({ query, space });
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

/** Nearly always one space, and so one request. */
async function embedBySpace(
  questions: readonly Question[],
  embedQueries: EmbedQueries,
  signal: AbortSignal,
): Promise<Float32Array[]> {
  const spaces = new Map(questions.map(({ space }) => [space.id, space]));
  const vectors: Float32Array[] = [];
  for (const space of spaces.values()) {
    const places = [...questions.keys()].filter((place) => questions[place]!.space.id === space.id);
    const found = await embedQueries(
      places.map((place) => questions[place]!.query),
      space,
      signal,
    );
    for (const [index, place] of places.entries()) vectors[place] = found[index]!;
  }
  return vectors;
}
