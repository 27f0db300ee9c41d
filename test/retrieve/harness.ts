import { contractEmbedder } from '../../src/embed/contract.js';
import type { Embedder } from '../../src/embed/embedder.js';
import { createHashEmbedder } from '../../src/embed/hash.js';
import { cachedQueries } from '../../src/embed/query-cache.js';
import { createIngest } from '../../src/ingest/create-ingest.js';
import type { Ingest, UpsertInput, UpsertResult } from '../../src/ingest/ingest.js';
import { createRetrieve, type RetrieveOptions } from '../../src/retrieve/create-retrieve.js';
import { createQueryEmbedder } from '../../src/retrieve/query-embedder.js';
import type { Retrieve, SearchOptions, SearchRequest, SearchResult } from '../../src/retrieve/retrieve.js';
import { type OpenedStore, openStore } from '../../src/store/open-store.js';
import type { Filterable } from '../../src/store/records.js';
import { makeScope, type Scope } from '../../src/store/scope.js';

/** The real parts of a search on a database of its own: store, ingest and retrieve with the `hash` embedder. */
export interface Harness {
  readonly store: OpenedStore;
  readonly ingest: Ingest;
  readonly retrieve: Retrieve;
  /** Texts that were sent to the embedder, queries included. */
  readonly embedded: string[];
  upsert(scope: Scope, input: Partial<UpsertInput> & Pick<UpsertInput, 'title' | 'text'>): Promise<UpsertResult>;
  search(scope: Scope, request: Partial<SearchRequest>, options?: Partial<SearchOptions>): Promise<SearchResult>;
  close(): Promise<void>;
}

export const me = makeScope('me', null);

export async function openHarness(
  uri: string,
  dbName: string,
  options: {
    readonly filterable?: Filterable;
    readonly languages?: readonly string[];
    readonly retrieve?: Partial<RetrieveOptions>;
    readonly clock?: () => Date;
    readonly embedder?: (real: Embedder) => Embedder;
  } = {},
): Promise<Harness> {
  const real = contractEmbedder(createHashEmbedder());
  const embedded: string[] = [];
  const counted: Embedder = {
    ...real,
    space: real.space,
    embed: (texts, embedOptions) => {
      embedded.push(...texts);
      return real.embed(texts, embedOptions);
    },
  };
  const embedder = cachedQueries(options.embedder?.(counted) ?? counted);
  const store = await openStore({
    uri,
    dbName,
    filterable: options.filterable ?? {},
    languages: options.languages ?? ['en'],
    space: { initial: real.space, explicit: {} },
    sweepIntervalMs: null,
    ...(options.clock && { clock: options.clock }),
  });
  const ingest = createIngest({ store, embedderOf: () => embedder });
  const retrieve = createRetrieve({
    store,
    search: store.search,
    rankings: store.rankings,
    queryEmbedder: createQueryEmbedder(() => embedder),
    ...(options.clock && { now: options.clock }),
    ...options.retrieve,
  });
  await indexesReady(store);
  return {
    store,
    ingest,
    retrieve,
    embedded,
    upsert: (scope, input) => ingest.upsertDocument(scope, { dryRun: false, waitUntil: 'SEARCHABLE', ...input }, {}),
    search: (scope, request, searchOptions) =>
      retrieve.search(
        scope,
        { exact: false, rerank: false, first: 10, ...request },
        { needsText: true, needsHighlights: false, needsCursors: true, ...searchOptions },
      ),
    close: () => store.close(),
  };
}

/** Polls: nothing tells when an index is built. */
async function indexesReady(store: OpenedStore): Promise<void> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    const states = await store.listSearchIndexes({} as never);
    if (states.every(({ queryable }) => queryable)) return;
    if (Date.now() > deadline) throw new Error(`Not ready: ${JSON.stringify(states)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
