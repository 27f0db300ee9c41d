import type { DocumentFilter } from './filter.js';
import type { JobStore } from './jobs/job-store.js';
import type { KeptWork } from './kept-work.js';
import type { WalkPosition, WholeDocument } from './read-whole.js';
import type {
  ApiKeyRecord,
  Chunking,
  ChunkRecord,
  DocumentRecord,
  Metadata,
  NewChunk,
  Page,
  Role,
  SearchIndexRecord,
  SpaceRecord,
} from './records.js';
import type { Operator, Scope } from './scope.js';

/**
 * Everything the rest of the server asks of MongoDB, made by `openStore`. A foreign object's id behaves like an absent
 * one. Ids are 24 hex digits; a malformed one is absent too. Throws `AppError` STORE_UNAVAILABLE when the database
 * cannot be reached, `Refusal` for what the caller can act on.
 */
export interface Store
  extends JobStore,
    Documents,
    WholeDocuments,
    Chunks,
    Writes,
    KeptWork,
    Spaces,
    SearchIndexes,
    ApiKeys {
  /** The database answers. */
  ping(signal?: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export type DocumentOrder = 'UPDATED_NEWEST' | 'CREATED_NEWEST' | 'TITLE';
export type DocumentKey = { readonly id: string } | { readonly title: string };

interface Documents {
  document(scope: Scope, key: DocumentKey): Promise<DocumentRecord | null>;
  /** In the order asked; null where there is none in scope. One query. */
  documentsByIds(scope: Scope, ids: readonly string[]): Promise<(DocumentRecord | null)[]>;
  /** Throws `AppError` BAD_USER_INPUT for a cursor that is not one of this listing (same filter and order). */
  listDocuments(
    scope: Scope,
    args: { filter?: DocumentFilter; orderBy: DocumentOrder; first: number; after?: string },
  ): Promise<Page<DocumentRecord>>;
  countDocuments(scope: Scope, filter?: DocumentFilter): Promise<number>;
  /** The title belongs to a document of the owner that the scope cannot see: writing it will be CONFLICT. */
  isTitleHidden(scope: Scope, title: string): Promise<boolean>;
  /** The canonical texts, '' while no version was stored, null where the document is gone. Consistent with one version. */
  texts(scope: Scope, documentIds: readonly string[]): Promise<(string | null)[]>;
}

/** For those who read all of everything: an export. */
interface WholeDocuments {
  /** The documents that have a version, oldest first, after a position of the same walk. */
  walkDocuments(scope: Scope, after: WalkPosition | null, limit: number): Promise<readonly WalkPosition[]>;
  /** Null: not in scope, or no version was stored yet. */
  openDocument(scope: Scope, id: string): Promise<WholeDocument | null>;
}

interface Chunks {
  /** Live chunks by id, in the order asked; null where gone, superseded or out of scope. Without text. */
  chunksByIds(scope: Scope, ids: readonly string[]): Promise<(ChunkRecord | null)[]>;
  chunkTexts(scope: Scope, ids: readonly string[]): Promise<(string | null)[]>;
  /** Live chunks of one document by ordinal. */
  listChunks(scope: Scope, documentId: string, args: { first: number; after?: string }): Promise<Page<ChunkRecord>>;
  /** The live chunk at each (document, ordinal): for `previous` and `next`. */
  chunksAt(scope: Scope, places: readonly { documentId: string; ordinal: number }[]): Promise<(ChunkRecord | null)[]>;
}

/** A whole new version of a document, as `ingest` made it. */
export interface NewVersion {
  readonly title: string;
  readonly text: string;
  readonly contentHash: string;
  readonly mediaType: string;
  readonly language: string | null;
  /** The caller named the language, so a later text does not change it. Default false. */
  readonly languageGiven?: boolean;
  readonly sourceUri: string | null;
  readonly agentIds: readonly string[];
  readonly metadata: Metadata;
  readonly chunking: Chunking;
  /** The space of `vectors`. */
  readonly space: string;
  readonly chunks: readonly NewChunk[];
  /** Vectors by `embedHash`, only those the store does not hold yet; every chunk's hash is here or stored in this document. */
  readonly vectors: ReadonlyMap<string, Float32Array>;
  /** Further spaces' vectors (a space being built, or a retired one): space id → embedHash → vector. */
  readonly otherVectors?: ReadonlyMap<string, ReadonlyMap<string, Float32Array>>;
}

export interface WriteOutcome {
  readonly document: DocumentRecord;
  readonly chunksAdded: number;
  readonly chunksKept: number;
  readonly chunksRemoved: number;
}

export interface AttributeChanges {
  readonly title?: string;
  readonly mediaType?: string;
  readonly language?: string | null;
  readonly languageGiven?: boolean;
  readonly sourceUri?: string | null;
  readonly agentIds?: readonly string[];
  readonly metadata?: Metadata;
}

interface Writes {
  /**
   * Stores a version in one transaction (or the staged flip beyond 1 000 changed rows or 8 MB), guarded by what was read:
   * `basedOn` is the document as read before embedding, null when there was none. Throws `VersionMoved` when it changed
   * meanwhile (the caller reads and starts again), `Refusal` CONFLICT for a title taken by a document out of scope.
   */
  writeVersion(scope: Scope, basedOn: DocumentRecord | null, version: NewVersion): Promise<WriteOutcome>;
  /** The `embedHash`es among `hashes` whose vectors the document already holds in the space. */
  storedEmbedHashes(
    scope: Scope,
    documentId: string,
    space: string,
    hashes: readonly string[],
  ): Promise<ReadonlySet<string>>;
  /** The document's live chunks as (embedHash, start, end): what a dry run compares with. */
  chunkHashes(scope: Scope, documentId: string): Promise<readonly { embedHash: string; start: number; end: number }[]>;
  /** Sets attributes on the document and its chunk rows; `version` stays, `revision` grows. Null: not in scope. */
  updateAttributes(
    scope: Scope,
    key: DocumentKey,
    changes: AttributeChanges,
    expectedRevision?: number,
  ): Promise<DocumentRecord | null>;
  /** The same on a document as it was read: throws `VersionMoved` when it changed meanwhile. */
  writeAttributes(scope: Scope, basedOn: DocumentRecord, changes: AttributeChanges): Promise<DocumentRecord>;
  /** Takes `lastError` away: the latest attempt succeeded, although it had nothing to change. */
  clearFailure(scope: Scope, documentId: string): Promise<void>;
  /** Remembers a failed attempt: FAILED while no version exists, else READY with `lastError`. Creates nothing. */
  recordFailure(scope: Scope, documentId: string, lastError: string): Promise<void>;
  /** Null: not in scope. */
  deleteDocument(
    scope: Scope,
    key: DocumentKey,
    expectedRevision?: number,
  ): Promise<{ id: string; deletedChunks: number } | null>;
  /** The filter must hold a condition outside `not`, else `Refusal` INVALID. */
  deleteDocuments(
    scope: Scope,
    filter: DocumentFilter,
    options: { dryRun: boolean },
  ): Promise<{ deletedDocuments: number; deletedChunks: number }>;
  /** Whether both search indexes return the version's first and last new chunk; polls until then or `timeoutMs` (10 s at most). */
  waitUntilSearchable(
    scope: Scope,
    documentId: string,
    version: number,
    options: { timeoutMs: number; signal?: AbortSignal },
  ): Promise<boolean>;
  /**
   * Finishes what a crash or time left behind: attempts that died, rows superseded a minute ago, attributes that have
   * not reached every row, rows of deleted documents. Runs by itself every half minute.
   */
  sweep(operator: Operator): Promise<SweepReport>;
  /** Deletes everything that an owner has. */
  eraseOwner(
    operator: Operator,
    ownerId: string,
    options: { dryRun: boolean },
  ): Promise<{ documents: number; chunks: number; jobs: number; apiKeys: number }>;
}

interface Spaces {
  /** The space that searches use and upserts write to. */
  activeSpace(): Promise<SpaceRecord>;
  /** Every space, read anew: an upsert writes vectors for each of them. */
  currentSpaces(): Promise<readonly SpaceRecord[]>;
  listSpaces(operator: Operator): Promise<readonly SpaceRecord[]>;
  spacesByIds(ids: readonly string[]): Promise<(SpaceRecord | null)[]>;
  /** `Refusal` NOT_FOUND, or CONFLICT for the active one. */
  dropSpace(operator: Operator, id: string): Promise<string>;
}

interface SearchIndexes {
  /** Status and problems of the indexes that the configuration needs, as the server reports them now. */
  listSearchIndexes(operator: Operator): Promise<readonly SearchIndexRecord[]>;
  /** Creates or updates them; returns without waiting for the build. */
  ensureSearchIndexes(operator: Operator): Promise<readonly SearchIndexRecord[]>;
}

interface ApiKeys {
  /** No key was ever created (and none exists): development mode is still possible. */
  hasApiKeys(): Promise<boolean>;
  /** By SHA-256 of the secret; null when unknown, revoked or expired. Touches `lastUsedAt` at most once a minute. */
  apiKeyBySecret(secret: string): Promise<ApiKeyRecord | null>;
  listApiKeys(operator: Operator): Promise<readonly ApiKeyRecord[]>;
  createApiKey(
    operator: Operator,
    key: { owner: string; name: string; role: Role; agentIds: readonly string[] | null; expiresAt: Date | null },
  ): Promise<{ apiKey: ApiKeyRecord; secret: string }>;
  revokeApiKey(operator: Operator, id: string): Promise<string | null>;
}

/** How many documents a sweep finished something for. */
export interface SweepReport {
  readonly attemptsUndone: number;
  readonly supersededRemoved: number;
  readonly attributesPropagated: number;
  readonly deletedCleaned: number;
}

/** The document changed between being read and being written. */
export class VersionMoved extends Error {
  constructor(options: { cause?: unknown } = {}) {
    super('The document changed while its new version was being prepared', options);
    this.name = 'VersionMoved';
  }
}
