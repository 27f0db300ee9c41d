import type { SearchFilter } from '../store/filter.js';
import type { ChunkRecord, SpaceRecord } from '../store/records.js';
import type { Scope } from '../store/scope.js';

/** What ranks: made by `createRetrieve({ store, … })`. Throws `AppError`. */
export interface Retrieve {
  search(scope: Scope, request: SearchRequest, options: SearchOptions): Promise<SearchResult>;
  similarChunks(
    scope: Scope,
    chunkId: string,
    request: { filter?: SearchFilter; first: number },
    options: SearchOptions,
  ): Promise<SearchResult | null>;
  explainSearch(scope: Scope, request: SearchRequest, options: SearchOptions): Promise<SearchExplanation>;
  whyNot(scope: Scope, request: SearchRequest, documentId: string, options: SearchOptions): Promise<WhyNot | null>;
}

export type SearchMode = 'VECTOR' | 'TEXT' | 'HYBRID';

/** Schema: `SearchInput`. Shape-checked by the API skin; meaning (limits, keys, dimensions) by `retrieve`. */
export interface SearchRequest {
  readonly query?: string;
  readonly vector?: readonly number[];
  readonly mode?: SearchMode;
  readonly filter?: SearchFilter;
  readonly numCandidates?: number;
  readonly exact: boolean;
  readonly minSimilarity?: number;
  readonly maxPerDocument?: number;
  readonly rerank: boolean;
  readonly weights?: { readonly vector: number; readonly text: number };
  readonly first: number;
  readonly after?: string;
}

export interface SearchOptions {
  readonly signal?: AbortSignal;
  /** The selection needs chunk texts: they come with the re-validation read. */
  readonly needsText: boolean;
  readonly needsHighlights: boolean;
  /** A cursor or endCursor was selected: without one no ranking is kept. */
  readonly needsCursors: boolean;
  /** Embeds the queries of one GraphQL request together: given by the request's loader, default is the retriever's own. */
  readonly embedQuery?: (query: string, space: SpaceRecord) => Promise<Float32Array>;
}

export interface Scores {
  readonly similarity: number | null;
  readonly distance: number | null;
  readonly text: number | null;
  readonly fused: number | null;
  readonly rerank: number | null;
}

export interface Highlight {
  readonly text: string;
  /** Offsets into the chunk's text, UTF-16. */
  readonly start: number;
  readonly end: number;
}

export interface SearchHit {
  readonly chunk: ChunkRecord;
  /** Present when `needsText`. */
  readonly text?: string;
  readonly cursor: string;
  readonly rank: number;
  readonly score: number;
  readonly scores: Scores;
  readonly highlights: readonly Highlight[];
}

export type Degradation =
  | 'OVERLAY_SKIPPED'
  | 'RERANK_UNAVAILABLE'
  | 'EMBEDDER_UNAVAILABLE'
  | 'TEXT_INDEX_UNAVAILABLE'
  | 'VECTOR_INDEX_UNAVAILABLE';

export interface SearchDiagnostics {
  readonly mode: SearchMode;
  readonly numCandidates: number | null;
  readonly exact: boolean;
  readonly embeddingSpace: string | null;
  readonly weights: { readonly vector: number; readonly text: number } | null;
  readonly staleDropped: number;
  readonly degraded: readonly Degradation[];
  readonly tookMs: number;
}

export interface SearchResult {
  readonly hits: readonly SearchHit[];
  readonly hasNextPage: boolean;
  readonly diagnostics: SearchDiagnostics;
}

export type DropReason = 'BELOW_MIN_SIMILARITY' | 'STALE' | 'OUT_OF_FILTER' | 'PER_DOCUMENT_CAP' | 'NOT_IN_TOP';

export interface CandidateExplanation {
  readonly chunk: ChunkRecord;
  readonly scores: Scores;
  readonly vectorRank: number | null;
  readonly textRank: number | null;
  readonly rank: number | null;
  readonly droppedBy: DropReason | null;
}

export interface SearchExplanation {
  readonly legs: readonly {
    readonly mode: SearchMode;
    readonly index: string;
    readonly indexStatus: string;
    readonly pipeline: readonly Record<string, unknown>[];
    readonly returned: number;
    readonly tookMs: number;
  }[];
  readonly fusion: string | null;
  readonly rankFusionPipeline: readonly Record<string, unknown>[] | null;
  readonly candidates: readonly CandidateExplanation[];
}

export type WhyNotReason =
  | 'IT_IS_A_HIT'
  | 'NOT_INDEXED_YET'
  | 'NO_VERSION_STORED'
  | 'EXCLUDED_BY_FILTER'
  | 'BELOW_MIN_SIMILARITY'
  | 'PER_DOCUMENT_CAP'
  | 'RANKED_LOWER'
  | 'NOT_A_CANDIDATE';

export interface WhyNot {
  readonly reason: WhyNotReason;
  readonly detail: string;
  readonly best: CandidateExplanation | null;
}
