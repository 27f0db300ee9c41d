import type { SearchFilter } from '../filter.js';
import type { ChunkRecord, SearchIndexStatus, SpaceRecord } from '../records.js';
import type { Scope } from '../scope.js';

/**
 * What `retrieve` asks of MongoDB: the legs of a search, and the reads around them. Made by `openSearchStore`. Ids are
 * 24 hex digits. Every call takes a deadline: it ends by then with `AppError` DEADLINE_EXCEEDED, or when `signal` aborts.
 */
export interface SearchStore {
  /** Checks a filter's keys and values, without asking the database. Throws `AppError` as `toPredicate` does. */
  checkFilter(filter: SearchFilter | undefined): void;
  /** Looks up what the filter names, and whether it comes down to few documents. Throws as `checkFilter` does. */
  prepareFilter(scope: Scope, filter: SearchFilter | undefined, budget: Budget): Promise<PreparedFilter>;
  /** Whether an index may be searched now. From memory for up to a second, unless `fresh`. */
  readiness(index: SearchIndexName, filter: PreparedFilter, options?: { fresh?: boolean }): Promise<Readiness>;
  /** One search of one index; with `fresh`, what was written lately comes along in the same round trip. */
  runLeg(scope: Scope, leg: Leg, budget: Budget, fresh?: FreshQuery): Promise<LegAnswer>;
  /** The pipeline that `runLeg` sends, as plain JSON. */
  legPipeline(scope: Scope, leg: Leg, fresh?: FreshQuery): Pipeline;
  /** The same two legs as one `$rankFusion`, as plain JSON. */
  rankFusionPipeline(
    scope: Scope,
    legs: { vector: VectorLeg; text: TextLeg },
    weights: { vector: number; text: number },
    limit: number,
  ): Pipeline;
  /** What became of chunks since they were indexed, by one snapshot read; the text of those in `withText`. */
  revalidate(
    scope: Scope,
    chunkIds: readonly string[],
    filter: PreparedFilter,
    withText: ReadonlySet<string>,
    budget: Budget,
  ): Promise<ReadonlyMap<string, Revalidated>>;
  /** The analyzer that reads a query and the texts beside the standard one, e.g. 'english'; null: the index has none for it. */
  textAnalyzer(query: TextQuery): string | null;
  /** The passages around the matched words, per chunk, as the text index marks them. */
  highlights(
    scope: Scope,
    query: TextQuery,
    chunkIds: readonly string[],
    budget: Budget,
  ): Promise<ReadonlyMap<string, readonly Passage[]>>;
  /** Ids of chunks written lately; null when there are more than the limit. */
  freshChunkIds(scope: Scope, fresh: FreshQuery, budget: Budget): Promise<readonly string[] | null>;
  /** Which of the chunks an index returns already. */
  indexedAmong(
    scope: Scope,
    index: IndexKind,
    chunkIds: readonly string[],
    budget: Budget,
  ): Promise<ReadonlySet<string>>;
  /** Stored vectors; chunks without one in the space are left out. */
  vectors(
    scope: Scope,
    space: SpaceRecord,
    chunkIds: readonly string[],
    budget: Budget,
  ): Promise<ReadonlyMap<string, Float32Array>>;
  /** Documents of the owner that are being stored or removed: none of their rows can be live. */
  unseenDocuments(scope: Scope, budget: Budget): Promise<readonly string[]>;
  /** Chunk rows in scope (and of the filter's documents, where it names them), counted up to `atMost`. */
  countChunks(scope: Scope, filter: PreparedFilter, atMost: number, budget: Budget): Promise<number>;
}

export interface Budget {
  /** Milliseconds of `performance.now()`. */
  readonly deadline: number;
  readonly signal?: AbortSignal;
}

export type Pipeline = readonly Record<string, unknown>[];
export type IndexKind = { readonly kind: 'VECTOR'; readonly space: SpaceRecord } | { readonly kind: 'TEXT' };
export type SearchIndexName = string;

/** A filter whose keys are known and whose titles are ids. Opaque outside `store/`. */
export interface PreparedFilter {
  /** Titles turned into ids; undefined: no filter was given. */
  readonly filter: SearchFilter | undefined;
  /** Metadata keys that it looks at. */
  readonly keys: readonly string[];
  /**
   * The ids of all documents that pass, when a filter was given and at most `MAX_EXACT_DOCUMENTS` pass: then the legs are
   * restricted to those ids, and the vector leg is exact. null: more pass, or no filter was given.
   */
  readonly documentIds: readonly string[] | null;
  /** Documents whose rows the legs pass over: see `unseenDocuments`. */
  readonly except?: readonly string[];
}

export const NO_FILTER: PreparedFilter = { filter: undefined, keys: [], documentIds: null };

export interface Readiness {
  readonly isReady: boolean;
  readonly status: SearchIndexStatus;
  /** Why not, in words for the caller; '' when ready. */
  readonly reason: string;
  /** The metadata key that is not filterable yet, where that is the reason. */
  readonly key: string | null;
}

export type Leg = VectorLeg | TextLeg;

export interface VectorLeg {
  readonly kind: 'VECTOR';
  readonly space: SpaceRecord;
  readonly vector: Float32Array;
  readonly filter: PreparedFilter;
  readonly limit: number;
  /** null: exact. At least `limit`. */
  readonly numCandidates: number | null;
}

export interface TextQuery {
  readonly text: string;
  /** BCP 47 primary subtag; null: the standard analyzer alone. */
  readonly language: string | null;
}

export interface TextLeg {
  readonly kind: 'TEXT';
  readonly query: TextQuery;
  readonly filter: PreparedFilter;
  readonly limit: number;
}

/** Asks for the scope's chunks that were written since. */
export interface FreshQuery {
  readonly since: Date;
  readonly limit: number;
}

export interface LegAnswer {
  /** Ids and scores, best first, ties by id. */
  readonly hits: readonly LegHit[];
  /** null: more than the limit, or not asked for. Read after the index was. */
  readonly freshIds: readonly string[] | null;
}

export interface LegHit {
  readonly id: string;
  readonly score: number;
}

export type Revalidated =
  | { readonly state: 'LIVE'; readonly chunk: ChunkRecord; readonly text: string | null }
  /** Deleted or out of scope (which are not told apart), or superseded: then its chunk is here. */
  | { readonly state: 'STALE'; readonly chunk: ChunkRecord | null }
  /** In scope and current, but its document does not pass the filter. */
  | { readonly state: 'OUT_OF_FILTER'; readonly chunk: ChunkRecord };

/** A passage of a chunk's text as the index marks it: pieces in order, which together are a substring of the text. */
export interface Passage {
  readonly pieces: readonly { readonly value: string; readonly isHit: boolean }[];
  readonly score: number;
}
