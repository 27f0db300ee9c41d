import type { BsonValue, Doc } from '../bson/values.js';

/**
 * The storage contract: collections of BSON records in LMDB, ordinary indexes, snapshots, transactions, an oplog.
 * Commands, cursors and search indexes know only this file; `openEngine` (storage/open-engine.ts) makes one.
 */

/** Positive, growing with insertion within a collection: natural order, and the row number of search indexes. */
export type RecordId = number;
/** Commits are numbered from 1 without gaps that matter; a view shows every commit up to its number. */
export type CommitNumber = number;

export interface IndexInfo {
  readonly id: number;
  readonly name: string;
  /** e.g. { a: 1, "b.c": -1 }, order kept. */
  readonly key: Readonly<Record<string, 1 | -1>>;
  readonly unique: boolean;
  readonly sparse: boolean;
  readonly partialFilterExpression: Doc | null;
  readonly expireAfterSeconds: number | null;
  /** Some record has an array under the key: such an index proposes a record more than once. */
  readonly multikey: boolean;
  /** The specification as given, for listIndexes. */
  readonly spec: Doc;
}

export interface CollectionInfo {
  readonly id: number;
  readonly db: string;
  readonly name: string;
  readonly uuid: Uint8Array;
  readonly options: Doc;
  readonly indexes: readonly IndexInfo[];
}

export interface StoredRecord {
  readonly recordId: RecordId;
  /** BSON, checksum verified. */
  readonly bytes: Uint8Array;
}

/**
 * Bounds on an index key, one value per key part from the left; missing parts are unbounded. `lower` and `upper` are meant
 * by value on the first part where they differ: where that part descends in the index, the engine turns them round.
 */
export interface KeyRange {
  readonly lower?: { readonly values: readonly BsonValue[]; readonly inclusive: boolean };
  readonly upper?: { readonly values: readonly BsonValue[]; readonly inclusive: boolean };
}

/** A consistent view. `release` it in `finally`: a view that is held pins pages of the file. */
export interface ReadView {
  readonly commitNumber: CommitNumber;
  collection(db: string, name: string): CollectionInfo | undefined;
  collections(db: string): readonly CollectionInfo[];
  databases(): readonly string[];
  get(collection: CollectionInfo, recordId: RecordId): Uint8Array | undefined;
  findById(collection: CollectionInfo, id: BsonValue): StoredRecord | undefined;
  /** Natural order, after `after` when given. */
  scan(collection: CollectionInfo, options?: { after?: RecordId; reverse?: boolean }): Iterable<StoredRecord>;
  /**
   * Proposals in index order: may repeat a record (multikey) or show one that does not match (bounds on keys over 1 468
   * bytes): re-check. A missing field is indexed as null, an empty array as undefined, other arrays by their elements.
   */
  scanIndex(
    collection: CollectionInfo,
    index: IndexInfo,
    range: KeyRange,
    options?: { reverse?: boolean },
  ): Iterable<RecordId>;
  count(collection: CollectionInfo): number;
  release(): void;
}

/**
 * A view with a write buffer that sees its own writes. First writer wins: a write to a record that another open
 * transaction wrote, or that was committed after this one's view, throws CommandError 112 with TransientTransactionError
 * at once; a duplicate unique key throws 11000 with keyPattern and keyValue.
 */
export interface Transaction extends ReadView {
  insert(collection: CollectionInfo, bytes: Uint8Array): RecordId;
  replace(collection: CollectionInfo, recordId: RecordId, bytes: Uint8Array): void;
  remove(collection: CollectionInfo, recordId: RecordId): void;
  createCollection(db: string, name: string, options: Doc): CollectionInfo;
  /**
   * Remembers a retryable write's reply, in the same commit. 117 ConflictingOperationInProgress when another attempt of
   * the same write was committed first: look for its reply with `retryableReply` inside of `run`, before writing.
   */
  rememberRetryable(key: string, reply: Uint8Array): void;
  /** Resolves once the commit is on disk (flushed). Releases the view. */
  commit(): Promise<CommitNumber>;
  abort(): void;
}

export interface Engine {
  view(): ReadView;
  /** A multi-document transaction over one snapshot; its writes are bounded to 64 MB (257 beyond). */
  begin(): Transaction;
  /**
   * One write command outside a multi-document transaction: runs `run` on a fresh transaction and commits it, waiting
   * and running again while other transactions hold what it needs (until `deadline`, ms since 1970, then 50
   * MaxTimeMSExpired). `run` must let 112 pass, and may be called more than once; when it is asynchronous, long runs
   * should yield to the event loop.
   */
  write<T>(run: (txn: Transaction) => T | Promise<T>, options?: { deadline?: number }): Promise<T>;
  retryableReply(key: string): Uint8Array | undefined;

  // Catalogue changes: durable when they resolve.
  createCollection(db: string, name: string, options: Doc): Promise<CollectionInfo>;
  dropCollection(db: string, name: string): Promise<boolean>;
  renameCollection(db: string, from: string, toDb: string, to: string, dropTarget: boolean): Promise<void>;
  dropDatabase(db: string): Promise<void>;
  /** Builds it over the existing records first, in slices; `created` false when an equal one was there. 85/86 on conflict. */
  createIndex(collection: CollectionInfo, spec: Doc): Promise<{ created: boolean }>;
  dropIndex(collection: CollectionInfo, name: string): Promise<void>;

  /** Changes after a commit number, in commit order: what feeds the search indexes. */
  readonly oplog: Oplog;
  /** An ordered binary key-value space of its own inside the data directory, for search indexes and other side data. */
  keyspace(name: string): Keyspace;
  readonly dataDir: string;
  /** Flushes and closes. */
  close(): Promise<void>;
}

export interface Change {
  readonly commitNumber: CommitNumber;
  readonly collectionId: number;
  readonly kind: 'put' | 'remove' | 'dropCollection';
  /** 0 for dropCollection. */
  readonly recordId: RecordId;
  /** When it was committed, ms since 1970: an index lag counts from here. */
  readonly at: number;
}

export interface Oplog {
  readonly latest: CommitNumber;
  /** Up to `limit` changes with a commit number above `after`, whole commits only (so possibly more than `limit`). */
  read(after: CommitNumber, limit: number): readonly Change[];
  /** The lowest commit number that is still kept; a reader behind it must rebuild from a scan. */
  readonly oldest: CommitNumber;
  /** Called after each durable commit; returns a function that unsubscribes. */
  subscribe(listener: (latest: CommitNumber) => void): () => void;
  /** Declares that `consumer` needs nothing at or below `upTo`; the log is trimmed behind the slowest consumer. */
  checkpoint(consumer: string, upTo: CommitNumber): void;
  forget(consumer: string): void;
}

/** Values carry a checksum that is verified on reading (CommandError 1 naming the key when it fails). */
export interface Keyspace {
  get(key: Uint8Array): Uint8Array | undefined;
  /** Half-open, ascending. */
  range(from: Uint8Array, to: Uint8Array): Iterable<{ key: Uint8Array; value: Uint8Array }>;
  /** All or nothing, resolves once flushed. A null value removes. */
  commit(changes: readonly { key: Uint8Array; value: Uint8Array | null }[]): Promise<void>;
}
