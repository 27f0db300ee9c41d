import { type Document, MongoServerError } from 'mongodb';
import { AppError } from '../errors.js';
import type { Database } from './database.js';
import { type IndexProblem, indexProblems } from './index-problems.js';
import { hasMongoCode, MONGO_CODE } from './mongo-errors.js';
import type { Filterable, SearchIndexRecord, SearchIndexStatus, SpaceRecord } from './records.js';
import { type NeededIndex, TEXT_INDEX, textIndex, vectorIndex, vectorIndexName } from './search-index-definitions.js';
import type { Store } from './store.js';

/** An index as it is now, with what a search has to know. */
export interface SearchIndexState extends SearchIndexRecord {
  /** It may be searched: it answers, and nothing is missing but what the configuration asks for since lately. */
  readonly usable: boolean;
  /** Declared metadata keys that the index does not filter on yet: a filter on one is INDEX_NOT_READY. */
  readonly pendingKeys: ReadonlySet<string>;
}

export interface SearchIndexManager extends Pick<Store, 'listSearchIndexes' | 'ensureSearchIndexes'> {
  /**
   * At the start: makes what is missing, lets indexes grow with the configuration, leaves other differences reported. Held
   * keys are no reason to grow yet: rows do not carry them.
   */
  open(options?: { readonly heldKeys?: ReadonlySet<string> }): Promise<void>;
  /** From memory for up to a second, unless `fresh`. `name` as in search-index-definitions.ts. */
  searchIndexState(name: string, options?: { fresh?: boolean }): Promise<SearchIndexState>;
  /** For a new space. Where the server refuses, the index's problems say so, with the definition to paste. */
  makeVectorIndex(space: SpaceRecord): Promise<void>;
  dropVectorIndex(space: string): Promise<void>;
}

export interface SearchIndexOptions {
  readonly filterable: Filterable;
  readonly languages: readonly string[];
  readonly spaces: () => Promise<readonly SpaceRecord[]>;
  /** false: work on a server without search; every search index is then DOES_NOT_EXIST. */
  readonly requireSearch: boolean;
}

/** The list is read by every search; an index changes its status a few times in its life. */
const STATE_TTL_MS = 1_000;

const NO_KEYS: ReadonlySet<string> = new Set();

export function searchIndexManager(database: Database, options: SearchIndexOptions): SearchIndexManager {
  /** Why the server refused to make an index, by name. */
  const refusals = new Map<string, string>();
  let cached: { readonly states: Promise<readonly SearchIndexState[]>; readonly until: number } | undefined;

  const needed = async (): Promise<NeededIndex[]> => [
    ...(await options.spaces()).map((space) => vectorIndex(space, options.filterable)),
    textIndex(options.filterable, options.languages),
  ];

  const states = async (): Promise<readonly SearchIndexState[]> => {
    const rows = await indexRows(database, options.requireSearch);
    return (await needed()).map((index) => stateOf(index, rows.get(index.name), refusals.get(index.name)));
  };

  const cachedStates = (fresh: boolean): Promise<readonly SearchIndexState[]> => {
    if (fresh || cached === undefined || performance.now() > cached.until) {
      const reading = states();
      cached = { states: reading, until: performance.now() + STATE_TTL_MS };
      reading.catch(() => {
        cached = undefined;
      });
    }
    return cached.states;
  };

  /** Makes or changes one index. Refusals are remembered; without a fitting index they are the caller's to report. */
  const bring = async (index: NeededIndex, exists: boolean): Promise<void> => {
    try {
      if (exists) await database.chunks.updateSearchIndex(index.name, index.definition);
      else
        await database.chunks.createSearchIndex({ name: index.name, type: index.type, definition: index.definition });
      refusals.delete(index.name);
    } catch (error) {
      if (!(error instanceof MongoServerError)) throw error;
      // Another server that starts at the same moment was faster: what it made is verified like any other.
      if (hasMongoCode(error, MONGO_CODE.indexAlreadyExists)) return;
      refusals.set(index.name, error.message);
    } finally {
      cached = undefined;
    }
  };

  return {
    async open({ heldKeys = NO_KEYS } = {}) {
      const rows = await indexRows(database, options.requireSearch);
      if (!options.requireSearch) return;
      const active = (await options.spaces()).find(({ state }) => state === 'ACTIVE');
      for (const index of await needed()) {
        const row = rows.get(index.name);
        const problems = row === undefined ? [] : indexProblems(asDocument(row.latestDefinition), index);
        const isDue = problems.some(({ metadataKey }) => metadataKey === undefined || !heldKeys.has(metadataKey));
        if (row === undefined || (isDue && problems.every(({ isGrowth }) => isGrowth)))
          await bring(index, row !== undefined);
        // Without text search HYBRID answers from the vector leg and says so; without vectors there is nothing to serve.
        if (row === undefined && refusals.has(index.name) && index.name === vectorIndexName(active?.id ?? ''))
          throw cannotCreate(index, refusals);
      }
    },
    async listSearchIndexes() {
      return await cachedStates(true);
    },
    async ensureSearchIndexes() {
      const rows = await indexRows(database, options.requireSearch);
      for (const index of await needed()) {
        const row = rows.get(index.name);
        if (row === undefined || indexProblems(asDocument(row.latestDefinition), index).length > 0)
          await bring(index, row !== undefined);
      }
      return await cachedStates(true);
    },
    async searchIndexState(name, { fresh = false } = {}) {
      const state = (await cachedStates(fresh)).find((candidate) => candidate.name === name);
      return state ?? absent(name);
    },
    async makeVectorIndex(space) {
      if (options.requireSearch) await bring(vectorIndex(space, options.filterable), false);
    },
    async dropVectorIndex(space) {
      try {
        await database.chunks.dropSearchIndex(vectorIndexName(space));
      } catch (error) {
        if (!hasMongoCode(error, MONGO_CODE.indexNotFound)) throw error;
      } finally {
        cached = undefined;
      }
    },
  };
}

/** The search indexes of `chunks` as the server lists them. Throws SEARCH_NOT_SUPPORTED where it has none to offer. */
async function indexRows(database: Database, requireSearch: boolean): Promise<Map<string, Document>> {
  try {
    const rows = (await database.chunks.listSearchIndexes().toArray()) as Document[];
    return new Map(rows.map((row) => [row.name as string, row]));
  } catch (error) {
    if (!hasMongoCode(error, MONGO_CODE.searchNotEnabled, MONGO_CODE.unknownStage, MONGO_CODE.commandNotFound))
      throw error;
    if (!requireSearch) return new Map();
    throw new AppError(
      'SEARCH_NOT_SUPPORTED',
      'This MongoDB server has no search. Use MongoDB Atlas, Atlas Local, or Community 8.2 or later with mongot; or leave ' +
        'MONGODB_URI unset to use the embedded Pocket Atlas',
      { cause: error },
    );
  }
}

const STATUSES: ReadonlySet<string> = new Set<SearchIndexStatus>([
  'PENDING',
  'BUILDING',
  'READY',
  'STALE',
  'FAILED',
  'DELETING',
  'DOES_NOT_EXIST',
]);

function stateOf(needed: NeededIndex, row: Document | undefined, refusal: string | undefined): SearchIndexState {
  if (row === undefined)
    return {
      ...absent(needed.name, needed.kind),
      problems: [
        refusal === undefined
          ? 'the index does not exist: call ensureSearchIndexes'
          : `the index does not exist, and the server refused to create it (${refusal}); create it with this definition: ${JSON.stringify(needed.definition)}`,
      ],
    };
  const status = STATUSES.has(row.status) ? (row.status as SearchIndexStatus) : 'PENDING';
  const problems = [...typeProblems(row, needed), ...indexProblems(servingDefinition(row), needed)];
  const queryable = row.queryable === true;
  return {
    name: needed.name,
    kind: needed.kind,
    status,
    queryable,
    definition: asDocument(row.latestDefinition),
    problems: problems.map(({ message }) => message),
    usable: queryable && problems.every(({ isGrowth }) => isGrowth),
    pendingKeys: new Set(problems.flatMap(({ metadataKey }) => (metadataKey === undefined ? [] : [metadataKey]))),
  };
}

/** Some servers do not send the type. */
function typeProblems(row: Document, needed: NeededIndex): IndexProblem[] {
  return row.type === undefined || row.type === needed.type
    ? []
    : [{ message: `the index is of type ${row.type}, expected ${needed.type}: drop it`, isGrowth: false }];
}

/** While an update is built, the definition before it still answers: that one counts. */
function servingDefinition(row: Document): Document {
  const details = Array.isArray(row.statusDetail) ? (row.statusDetail as Document[]) : [];
  const serving = details.map((detail) => asDocument(detail.mainIndex)).filter((main) => main.definition !== undefined);
  const latest = Number(asDocument(row.latestDefinitionVersion).version ?? 0);
  const behind = serving.find((main) => Number(asDocument(main.definitionVersion).version ?? latest) < latest);
  return asDocument(behind?.definition ?? row.latestDefinition);
}

function absent(name: string, kind: NeededIndex['kind'] = name === TEXT_INDEX ? 'TEXT' : 'VECTOR'): SearchIndexState {
  return {
    name,
    kind,
    status: 'DOES_NOT_EXIST',
    queryable: false,
    definition: {},
    problems: [],
    usable: false,
    pendingKeys: new Set(),
  };
}

function cannotCreate(index: NeededIndex, refusals: ReadonlyMap<string, string>): AppError {
  return new AppError(
    'SEARCH_NOT_SUPPORTED',
    `The server refused to create the search index ${index.name} (${refusals.get(index.name)}). Create it on the collection ` +
      `"chunks" as type ${index.type} with this definition: ${JSON.stringify(index.definition)}`,
  );
}

function asDocument(value: unknown): Document {
  return typeof value === 'object' && value !== null ? (value as Document) : {};
}
