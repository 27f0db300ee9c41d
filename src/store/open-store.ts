import type { MongoClientOptions } from 'mongodb';
import { multiAnalyzers } from '../analyzers.js';
import { AppError } from '../errors.js';
import { apiKeyFunctions } from './api-keys.js';
import { attributeWriter } from './attributes.js';
import { type Clock, systemClock } from './clock.js';
import { ensureCollections } from './collections.js';
import { connect, type Database } from './database.js';
import { documentDeleter } from './delete-documents.js';
import { ownerEraser } from './erase-owner.js';
import { failureWriter } from './failures.js';
import type { FilterKeys } from './filter-mql.js';
import { backfillFilterable } from './filterable-backfill.js';
import { declareKeys, keysToCopyAtStart, projectionOf } from './filterable-projection.js';
import { openJobStore } from './jobs/open-job-store.js';
import { keptWorkFunctions } from './kept-work.js';
import { toStoreError, withStoreErrors } from './mongo-errors.js';
import { type Rankings, rankingFunctions } from './rankings.js';
import { chunkReads } from './read-chunks.js';
import { documentReads } from './read-documents.js';
import { textReads } from './read-texts.js';
import { versionReads } from './read-version.js';
import { wholeReads } from './read-whole.js';
import type { Filterable, SpaceRecord } from './records.js';
import { searchLag } from './reembed/index-lag.js';
import { reembedding } from './reembed/reembedding.js';
import { createSealer, type Sealer } from './sealing.js';
import { openSearchStore } from './search/open-search-store.js';
import type { SearchStore } from './search/search-store.js';
import { filterableProblems } from './search-index-definitions.js';
import { type SearchIndexState, searchIndexManager } from './search-indexes.js';
import { searchableWaiter } from './searchable.js';
import { requireTransactions } from './server-check.js';
import { sealingKey } from './settings.js';
import { spaceChanges } from './space-changes.js';
import type { SpaceSettings } from './space-choice.js';
import { spaceFence } from './space-fence.js';
import { openSpaces, spaceReads, storedSpaces } from './spaces.js';
import type { Store } from './store.js';
import { sweep } from './sweeper.js';
import { writeTogether } from './write-together.js';
import { versionWriter, WRITE_LIMITS, type WriteLimits } from './write-version.js';

export interface OpenStoreOptions {
  readonly uri: string;
  readonly dbName: string;
  readonly filterable: Filterable;
  /** Languages of the text index, BCP 47 primary subtags (GAZETTEER_LANGUAGES). */
  readonly languages: readonly string[];
  readonly space: SpaceSettings;
  /** A line to the operator at the start, e.g. which embedding space is active. Default: says nothing. */
  readonly onNotice?: (message: string) => void;
  /** A background sweep or copy failed; it is tried again. Default: says nothing. */
  readonly onBackgroundError?: (error: unknown) => void;
  readonly clock?: Clock;
  /** Pause between sweeps; null: only when `sweep` is called. */
  readonly sweepIntervalMs?: number | null;
  /** For tests of the staged flip on small documents. */
  readonly writeLimits?: WriteLimits;
  /** false opens a server without search (a plain mongod): every search index is then DOES_NOT_EXIST. */
  readonly requireSearch?: boolean;
  readonly client?: MongoClientOptions;
}

/** The store with what `store/search/` builds on. */
export interface OpenedStore extends Store {
  readonly search: SearchStore;
  readonly rankings: Rankings;
  readonly database: Database;
  readonly sealer: Sealer;
  readonly filterable: Filterable;
  readonly languages: readonly string[];
  readonly clock: Clock;
  /** What a metadata condition may name now. */
  filterKeys(): FilterKeys;
  searchIndexState(name: string, options?: { fresh?: boolean }): Promise<SearchIndexState>;
}

const SWEEP_INTERVAL_MS = 30_000;

/**
 * Connects, verifies the server, makes collections and indexes, and fixes the embedding space. Does not wait for search
 * indexes to be built. Throws `AppError`: STORE_UNAVAILABLE (no server, or a standalone), SEARCH_NOT_SUPPORTED,
 * EMBEDDING_SPACE_MISMATCH, BAD_USER_INPUT (filterable keys that do not fit).
 */
export async function openStore(options: OpenStoreOptions): Promise<OpenedStore> {
  const problems = filterableProblems(options.filterable, options.languages);
  if (problems.length > 0) throw new AppError('BAD_USER_INPUT', problems.join('\n'));
  const database = connect(options.uri, options.dbName, options.client);
  try {
    return await openOn(database, options);
  } catch (error) {
    await database.close();
    throw toStoreError(error);
  }
}

async function openOn(database: Database, options: OpenStoreOptions): Promise<OpenedStore> {
  const clock = options.clock ?? systemClock;
  const limits = options.writeLimits ?? WRITE_LIMITS;
  const { filterable, languages } = options;

  const together = writeTogether(database.client, await requireTransactions(database));
  await ensureCollections(database);
  announce(await openSpaces(database, options.space), options);
  const indexes = searchIndexManager(database, {
    filterable,
    languages,
    spaces: () => storedSpaces(database),
    requireSearch: options.requireSearch ?? true,
  });
  const reads = spaceReads(database);
  const projection = projectionOf(database);
  const fence = spaceFence(database, () => {
    reads.forget();
    projection.forget();
  });
  await declareKeys(database, filterable);
  await fence.align();
  let pending = await keysToCopyAtStart(database, filterable);
  await indexes.open({ heldKeys: pending });
  const sealer = createSealer(await sealingKey(database));
  const keys = (): FilterKeys => ({ declared: filterable, pending });

  const { forget, ...spaces } = reads;
  const { finishDrops, ...changes } = spaceChanges(database, {
    fence,
    forget,
    makeIndexOf: indexes.makeVectorIndex,
    dropIndexOf: indexes.dropVectorIndex,
  });
  const stop = new AbortController();
  const background = [
    repeatedly(
      options.sweepIntervalMs === undefined ? SWEEP_INTERVAL_MS : options.sweepIntervalMs,
      stop.signal,
      options,
      () => sweep(database, clock, stop.signal),
    ),
    backfillFilterable(
      database,
      {
        declared: filterable,
        clock,
        growIndexes: indexes.open,
        indexLag: () => searchLag(database, indexes, clock),
        onPending: (keysNow) => {
          pending = keysNow;
        },
        onError: (error) => options.onBackgroundError?.(error),
        pause: (ms) => paused(ms, stop.signal),
      },
      stop.signal,
    ),
    finishDrops(stop.signal).catch((error: unknown) => {
      if (!stop.signal.aborted) options.onBackgroundError?.(error);
    }),
  ];

  const jobs = openJobStore(database, { clock, sealer, filterable });
  const functions = withStoreErrors({
    ...documentReads(database, sealer, keys),
    ...textReads(database),
    ...chunkReads(database, sealer),
    ...versionReads(database),
    ...wholeReads(database),
    ...versionWriter(database, { projection, clock, limits, together, fence }),
    ...attributeWriter(database, { projection, fence, clock, maxTransactionRows: limits.maxTransactionRows }),
    ...failureWriter(database),
    ...keptWorkFunctions(database, clock),
    ...documentDeleter(database, { clock, keys, maxTransactionRows: limits.maxTransactionRows }),
    ...ownerEraser(database, { clock, maxTransactionRows: limits.maxTransactionRows }),
    ...searchableWaiter(database, indexes, spaces.activeSpace),
    ...spaces,
    ...changes,
    ...reembedding(database, { fence, indexes, clock }),
    listSearchIndexes: indexes.listSearchIndexes,
    ensureSearchIndexes: indexes.ensureSearchIndexes,
    searchIndexState: indexes.searchIndexState,
    ...apiKeyFunctions(database, clock),
    ...jobs,
    sweep: () => sweep(database, clock, stop.signal),
    async ping(signal?: AbortSignal) {
      signal?.throwIfAborted();
      await database.db.command({ ping: 1 });
    },
    async close() {
      stop.abort();
      await Promise.all(background);
      await database.close();
    },
  });
  const search = openSearchStore({
    database,
    filterKeys: keys,
    analyzers: multiAnalyzers(languages),
    searchIndexState: functions.searchIndexState,
  });
  const rankings = rankingFunctions(database, sealer, clock);
  return {
    ...functions,
    // Asks the database nothing.
    noteStored: jobs.noteStored,
    search,
    rankings,
    database,
    sealer,
    filterable,
    languages,
    clock,
    filterKeys: keys,
  };
}

function announce(spaces: readonly SpaceRecord[], { space, onNotice }: OpenStoreOptions): void {
  const active = spaces.find(({ state }) => state === 'ACTIVE');
  const { provider, model, dimensions } = space.explicit;
  if (active === undefined || (provider ?? model ?? dimensions) === undefined) return;
  const isActive =
    (provider ?? active.provider) === active.provider &&
    (model ?? active.model) === active.model &&
    (dimensions ?? active.dimensions) === active.dimensions;
  if (!isActive)
    onNotice?.(
      `The settings name a stored embedding space that is not the active one; ${active.provider}/${active.model} (${active.dimensions} dimensions) is active`,
    );
}

/** Runs `work` again and again until the signal. One run at a time; a failed one is reported and the next one tried. */
async function repeatedly(
  intervalMs: number | null,
  signal: AbortSignal,
  { onBackgroundError }: OpenStoreOptions,
  work: () => Promise<unknown>,
): Promise<void> {
  if (intervalMs === null) return;
  while (await paused(intervalMs, signal)) {
    try {
      await work();
    } catch (error) {
      if (!signal.aborted) onBackgroundError?.(error);
    }
  }
}

/** False: aborted. */
function paused(ms: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(false);
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort);
      resolve(true);
    }, ms);
    const onAbort = (): void => {
      clearTimeout(timer);
      resolve(false);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    // A process that has nothing else to do may end.
    timer.unref();
  });
}
