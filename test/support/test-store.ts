import { randomUUID } from 'node:crypto';
import { contractEmbedder } from '../../src/embed/contract.js';
import type { Embedder } from '../../src/embed/embedder.js';
import { createHashEmbedder } from '../../src/embed/hash.js';
import { windowedEmbedder } from '../../src/embed/windowed.js';
import { createIngest, type IngestOptions } from '../../src/ingest/create-ingest.js';
import type { Ingest, UpsertInput, UpsertResult } from '../../src/ingest/ingest.js';
import { type OpenedStore, type OpenStoreOptions, openStore } from '../../src/store/open-store.js';
import type { Scope } from '../../src/store/scope.js';

/** Counts what it is asked for. */
export interface CountingEmbedder extends Embedder {
  readonly asked: string[];
  calls: number;
}

export function countingEmbedder(
  inner: Embedder = windowedEmbedder(contractEmbedder(createHashEmbedder())),
): CountingEmbedder {
  const asked: string[] = [];
  return {
    space: inner.space,
    ...(inner.isInstant && { isInstant: inner.isInstant }),
    ...(inner.lateChunking && { lateChunking: inner.lateChunking }),
    asked,
    calls: 0,
    countTokens: (text) => inner.countTokens(text),
    async embed(texts, options) {
      this.calls++;
      asked.push(...texts);
      return await inner.embed(texts, options);
    },
  };
}

export interface TestStore extends OpenedStore {
  readonly dbName: string;
  readonly embedder: CountingEmbedder;
  readonly ingest: Ingest;
  /** Moves the store's clock. */
  advance(ms: number): void;
  upsert(scope: Scope, title: string, text: string, input?: Partial<UpsertInput>): Promise<UpsertResult>;
}

/** A store on a database of its own, with a clock that tests move and no sweeps but those that are called. */
export async function openTestStore(
  uri: string,
  options: Partial<OpenStoreOptions> & { readonly ingest?: Partial<IngestOptions>; readonly embedder?: Embedder } = {},
): Promise<TestStore> {
  const { ingest: ingestOptions, embedder: inner, ...storeOptions } = options;
  const embedder = countingEmbedder(inner);
  const dbName = storeOptions.dbName ?? `t_${randomUUID().slice(0, 18)}`;
  let offsetMs = 0;
  const store = await openStore({
    uri,
    dbName,
    filterable: {},
    languages: ['en'],
    space: { initial: embedder.space, explicit: {} },
    sweepIntervalMs: null,
    clock: () => new Date(Date.now() + offsetMs),
    ...storeOptions,
  });
  const ingest = createIngest({ store, embedderOf: () => embedder, ...ingestOptions });
  return {
    ...store,
    dbName,
    embedder,
    ingest,
    advance(ms) {
      offsetMs += ms;
    },
    upsert: (scope, title, text, input = {}) =>
      ingest.upsertDocument(scope, { title, text, dryRun: false, waitUntil: 'STORED', ...input }, {}),
  };
}

export const ONE_PARAGRAPH = { strategy: 'RECURSIVE', maxTokens: 30, overlap: 0, contextual: false } as const;

/** `count` paragraphs, each a chunk of its own under `ONE_PARAGRAPH`. */
export function paragraphs(count: number, word = 'alpha'): string {
  return Array.from(
    { length: count },
    (_, index) => `${word} paragraph number ${index} ${'speaks of things '.repeat(3)}`,
  ).join('\n\n');
}
