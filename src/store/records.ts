import type { EmbedderSpace } from '../embed/embedder.js';

/**
 * The domain records that `store/` hands out and takes, in camelCase; the rows behind them (snake_case, ObjectId, BSON
 * binaries) do not leave `store/`. Ids are 24 hex digits.
 */

export type MetadataScalar = string | number | boolean | null;
/** Flat: scalars, or arrays of scalars. */
export type Metadata = Readonly<Record<string, MetadataScalar | readonly MetadataScalar[]>>;

export type DocumentStatus = 'READY' | 'PENDING' | 'FAILED';

export const CHUNKING_STRATEGIES = [
  'RECURSIVE',
  'SLIDING_WINDOW',
  'SENTENCE',
  'TOKEN',
  'STRUCTURE',
  'SEMANTIC',
  'PARENT_CHILD',
  'NONE',
] as const;
export type ChunkingStrategy = (typeof CHUNKING_STRATEGIES)[number];

/** A chunking with every default filled in, as it is stored on the document. Sizes that a strategy does not use are null. */
export interface Chunking {
  readonly strategy: ChunkingStrategy;
  readonly maxTokens: number | null;
  readonly maxCharacters: number | null;
  readonly overlap: number;
  readonly parentMaxTokens: number | null;
  readonly contextual: boolean;
}

export interface DocumentRecord {
  readonly id: string;
  readonly owner: string;
  readonly title: string;
  readonly mediaType: string;
  readonly language: string | null;
  /** The language was given by the caller, not detected: a new text keeps it. */
  readonly languageGiven: boolean;
  readonly sourceUri: string | null;
  readonly agentIds: readonly string[];
  readonly metadata: Metadata;
  /** SHA-256 (hex) of the canonical text; null while no version was stored. */
  readonly contentHash: string | null;
  readonly textLength: number;
  readonly version: number;
  readonly revision: number;
  readonly status: DocumentStatus;
  readonly lastError: string | null;
  readonly chunking: Chunking;
  readonly chunkCount: number;
  /** Space id, e.g. "s1"; null while no version was stored. */
  readonly space: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Since when the last write waited in a job; left out where it came at once. */
  readonly queuedAt?: Date;
}

/** A live chunk without its text: text and vectors are read only when asked for. */
export interface ChunkRecord {
  readonly id: string;
  readonly documentId: string;
  readonly ordinal: number;
  readonly start: number;
  readonly end: number;
  readonly parentStart: number | null;
  readonly parentEnd: number | null;
  readonly page: number | null;
  readonly headings: readonly string[];
  readonly language: string | null;
  readonly tokenCount: number;
}

/** A chunk that is about to be stored. */
export interface NewChunk {
  readonly start: number;
  readonly end: number;
  readonly parentStart: number | null;
  readonly parentEnd: number | null;
  readonly page: number | null;
  readonly headings: readonly string[];
  readonly language: string | null;
  readonly tokenCount: number;
  readonly text: string;
  /** What the embedder was given before `text`; left out: nothing. Kept, so that another model can be given the same. */
  readonly embedPrefix?: string;
  /** SHA-256 (hex) of the exact string given to the embedder: equal hash, same vector. */
  readonly embedHash: string;
}

export type SpaceState = 'ACTIVE' | 'BUILDING' | 'RETIRED';

export interface SpaceRecord extends EmbedderSpace {
  /** "s" + a number: it is a field name under `chunks.embeddings`. */
  readonly id: string;
  readonly state: SpaceState;
  /** Calibrated weights of HYBRID's legs for this space; null: not calibrated. */
  readonly weights: { readonly vector: number; readonly text: number } | null;
  /** Every chunk has a vector in it. */
  readonly isComplete?: boolean;
  /** The job that fills it or filled it. */
  readonly jobId?: string;
}

export type Role = 'READER' | 'WRITER' | 'ADMIN';

export interface ApiKeyRecord {
  readonly id: string;
  readonly name: string;
  readonly owner: string;
  readonly role: Role;
  readonly agentIds: readonly string[] | null;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly lastUsedAt: Date | null;
}

export type SearchIndexStatus = 'PENDING' | 'BUILDING' | 'READY' | 'STALE' | 'FAILED' | 'DELETING' | 'DOES_NOT_EXIST';

export interface SearchIndexRecord {
  readonly name: string;
  readonly kind: 'VECTOR' | 'TEXT';
  readonly status: SearchIndexStatus;
  readonly queryable: boolean;
  readonly definition: Readonly<Record<string, unknown>>;
  /** What the running configuration needs that the index lacks. An index with problems is never searched. */
  readonly problems: readonly string[];
}

/** One page of a forward keyset listing. */
export interface Page<T> {
  readonly items: readonly { readonly cursor: string; readonly node: T }[];
  readonly hasNextPage: boolean;
}

export type FilterableType = 'string' | 'number' | 'boolean' | 'date';
/** Declared filterable metadata keys, from `GAZETTEER_FILTERABLE`. */
export type Filterable = Readonly<Record<string, FilterableType>>;
