import type { EmbedderSpace } from '../embed/embedder.js';
import type { AlongsideOption, WriteVersionOptions } from './alongside.js';
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
   * meanwhile (the caller reads and starts again), `CalledOff`, `Refusal` CONFLICT for a title taken by a document out of scope.
   */
  writeVersion(
    scope: Scope,
    basedOn: DocumentRecord | null,
    version: NewVersion,
    options?: WriteVersionOptions,
  ): Promise<WriteOutcome>;
  /** The `embedHash`es among `hashes` whose vectors the document already holds in the space. */
  storedEmbedHashes(
    scope: Scope,
    documentId: string,
    space: string,
    hashes: readonly string[],
  ): Promise<ReadonlySet<string>>;
  /** Of the document's live chunks that the embedder was given more of than their text, that and the text. */
  chunkPrefixes(scope: Scope, documentId: string): Promise<readonly { embedPrefix: string; text: string }[]>;
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
  writeAttributes(
    scope: Scope,
    basedOn: DocumentRecord,
    changes: AttributeChanges,
    options?: AlongsideOption,
  ): Promise<DocumentRecord>;
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
  /** Every space: an upsert writes vectors for each of them. Up to a second old; `writeVersion` refuses an old list. */
  currentSpaces(): Promise<readonly SpaceRecord[]>;
  listSpaces(operator: Operator): Promise<readonly SpaceRecord[]>;
  spacesByIds(ids: readonly string[]): Promise<(SpaceRecord | null)[]>;
  /**
   * A new space in state BUILDING with its index; when it returns, every version that is stored brings vectors for it.
   * `Refusal` INVALID for a space like the active one, CONFLICT (`OtherSpaceExists`) beside another.
   */
  createSpace(operator: Operator, space: EmbedderSpace): Promise<SpaceRecord>;
  /** The same for a BUILDING space as it was read, whose job has ended. `Refusal` CONFLICT where it is taken up already. */
  resumeSpace(operator: Operator, space: SpaceRecord): Promise<SpaceRecord>;
  /** Which job fills the space. */
  noteSpaceJob(operator: Operator, id: string, jobId: string): Promise<void>;
  /** Every live chunk has a vector in the space: call it after a pass of `lackingChunks` that began after `createSpace`. */
  completeSpace(operator: Operator, id: string): Promise<void>;
  /**
   * Searches switch to the space in one step, and the active one is RETIRED. `Refusal` NOT_FOUND, or CONFLICT while the
   * space is not complete. Whether its index returns everything is `indexLag`'s to say, before.
   */
  activateSpace(operator: Operator, id: string): Promise<SpaceRecord>;
  /** With its vectors and its index. `Refusal` NOT_FOUND, or CONFLICT for the active one. */
  dropSpace(operator: Operator, id: string): Promise<string>;
  /** Why a search in the space might miss chunks that were stored before the call; null: it returns them all. */
  indexLag(operator: Operator, id: string): Promise<IndexLag | null>;
  /** The next `size` chunks in the order of their ids, superseded ones too; null at the end. */
  nextChunkSlice(operator: Operator, after: string | null, size: number): Promise<ChunkSlice | null>;
  /** The slice's next live chunks that have no vector in the space; `after` of the answer is where to go on. */
  lackingChunks(operator: Operator, space: string, slice: LackingSlice): Promise<LackingChunks>;
  /** All live chunks of a document in their order, for a model that sees them together. Empty when it has gone. */
  documentChunks(operator: Operator, space: string, documentId: string): Promise<readonly DocumentChunk[]>;
  /**
   * Gives chunks their vectors, where they still have none and their text is the one that was embedded. `Refusal`
   * NOT_FOUND when the space was dropped. Returns how many took theirs.
   */
  writeChunkVectors(
    operator: Operator,
    space: string,
    vectors: readonly { readonly id: string; readonly embedHash: string; readonly vector: Float32Array }[],
  ): Promise<number>;
}

export interface IndexLag {
  /** After "but": what is the matter with the index. */
  readonly reason: string;
  /** It is being built or catches up: waiting helps. */
  readonly isPassing: boolean;
}

/** Chunk ids, both ends included. */
export interface ChunkSlice {
  readonly from: string;
  readonly to: string;
  readonly count: number;
}

export interface LackingSlice {
  /** Exclusive; null: from the first. */
  readonly after: string | null;
  /** Inclusive; null: to the last. */
  readonly to: string | null;
}

export interface LackingChunks {
  readonly chunks: readonly LackingChunk[];
  /** null: the slice has no more. */
  readonly after: string | null;
}

/** A live chunk of a document. */
export interface DocumentChunk extends LackingChunk {
  /** It has no vector in the space. */
  readonly lacks: boolean;
}

/** A chunk with all that the string for its embedder is made of. */
export interface LackingChunk {
  readonly id: string;
  readonly embedHash: string;
  readonly text: string;
  /** Null in rows from before it was kept. */
  readonly embedPrefix: string | null;
  readonly headings: readonly string[];
  readonly document: {
    readonly id: string;
    readonly owner: string;
    readonly title: string;
    readonly contextual: boolean;
  };
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
