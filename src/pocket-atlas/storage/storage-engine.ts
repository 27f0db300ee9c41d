import type { Doc } from '../bson/values.js';
import { CommandError } from '../errors.js';
import { type Catalog, catalogOf, decodeCollection, withIndexes } from './catalog.js';
import { unseal } from './checksum.js';
import { CommitState, type Counter, type Head, readCounter, readHead } from './commit-state.js';
import { Committer } from './committer.js';
import type {
  CollectionInfo,
  CommitNumber,
  Engine,
  IndexInfo,
  Keyspace,
  ReadView,
  RecordId,
  Transaction,
} from './engine.js';
import type { Environment, ReadTransaction } from './environment.js';
import { buildIndex } from './index-build.js';
import { type DocumentKeys, keyExtractor, type Predicate } from './index-keys.js';
import { findEqualIndex, indexInfo, isIdIndex, normaliseSpec } from './index-spec.js';
import { PrefixedKeyspace } from './keyspace.js';
import { idKey, readId } from './layout.js';
import { LockTable, WriteConflict } from './lock-table.js';
import { namespace } from './namespace.js';
import { CommitLog } from './oplog.js';
import { prepareCommit } from './prepare-commit.js';
import { orphanIds, purge } from './purge.js';
import { SnapshotView } from './read-view.js';
import { RetryableReplies } from './retryable-replies.js';
import { SnapshotPool } from './snapshot-pool.js';
import { BufferedTransaction, lockKey, type TransactionServices } from './transaction.js';

export type CompileFilter = (filter: Doc) => Predicate;

export interface StorageEngineOptions {
  readonly dataDir: string;
  readonly environment: Environment;
  /** ms since 1970. */
  readonly now: () => number;
  /** Loads the compiler of partial filters, only when an index has one. */
  readonly loadFilterCompiler: () => Promise<CompileFilter>;
  /** Errors that no caller waits for (listeners, trimming, purging). */
  readonly onError: (error: unknown) => void;
  /** Runs last when the engine closes. */
  readonly onClose: () => void;
}

/** A write waits for others this long when its caller names no deadline. */
const WRITE_WAIT_MS = 120_000;

export class StorageEngine implements Engine {
  readonly dataDir: string;
  readonly oplog: CommitLog;
  private readonly environment: Environment;
  private readonly locks = new LockTable();
  private readonly committer: Committer;
  private readonly snapshots: SnapshotPool;
  private readonly retryable: RetryableReplies;
  private readonly services: TransactionServices;
  private readonly extractors = new Map<number, (doc: Doc) => DocumentKeys>();
  private readonly recordIds = new Map<number, RecordId>();
  private readonly counters = new Map<number, Counter>();
  /** The newest durable state. */
  private head: Head;
  private catalog: Catalog;
  private nextFreeId: number;
  private filterCompiler: CompileFilter | undefined;
  private purging: Promise<void> = Promise.resolve();
  private closing: Promise<void> | undefined;

  private constructor(private readonly options: StorageEngineOptions) {
    const { dataDir, environment, now, onError } = options;
    this.dataDir = dataDir;
    this.environment = environment;
    this.head = readHead(environment);
    this.nextFreeId = this.head.nextId;
    this.catalog = loadCatalog(environment, this.head.catalogVersion);
    this.committer = new Committer(
      environment,
      () =>
        new CommitState(
          this.head,
          this.catalog,
          (collectionId) => this.counter(collectionId),
          () => this.nextFreeId,
        ),
      (state) => this.adopt(state),
    );
    this.snapshots = new SnapshotPool(
      environment,
      () => this.head.commitNumber,
      (head, transaction) => this.catalogAt(head, transaction),
    );
    this.oplog = new CommitLog(environment, this.committer, () => this.head.commitNumber, onError);
    this.retryable = new RetryableReplies(environment, now);
    this.services = {
      environment,
      locks: this.locks,
      keysOf: (index, doc) => this.keysOf(index, doc),
      nextRecordId: (collectionId) => this.nextRecordId(collectionId),
      nextId: () => this.nextFreeId++,
      isAnswered: (retryableKey) => this.retryable.get(retryableKey) !== undefined,
      commit: (transaction) => this.commit(transaction),
    };
  }

  static async open(options: StorageEngineOptions): Promise<StorageEngine> {
    const engine = new StorageEngine(options);
    for (const collection of engine.catalog.byId.values()) {
      for (const index of collection.indexes) await engine.prepareIndex(index);
    }
    engine.purgeLater(orphanIds(options.environment, engine.catalog));
    return engine;
  }

  view(): ReadView {
    return new SnapshotView(this.environment, this.snapshots.acquire());
  }

  begin(): Transaction {
    return this.beginBuffered();
  }

  write<T>(run: (txn: Transaction) => T | Promise<T>, options: { deadline?: number } = {}): Promise<T> {
    return this.writeBuffered(run, options.deadline);
  }

  retryableReply(key: string): Uint8Array | undefined {
    return this.retryable.get(key);
  }

  createCollection(db: string, name: string, options: Doc): Promise<CollectionInfo> {
    return this.write((transaction) => transaction.createCollection(db, name, options));
  }

  async dropCollection(db: string, name: string): Promise<boolean> {
    const dropped = await this.changeWhole(db, name, (transaction, collection) => {
      transaction.dropCollection(collection);
      return collection;
    });
    if (dropped === undefined) return false;
    this.forgetCollections([dropped]);
    return true;
  }

  async renameCollection(db: string, from: string, toDb: string, to: string, dropTarget: boolean): Promise<void> {
    if (db === toDb && from === to) throw new CommandError(20, "Can't rename a collection to itself");
    let replaced: CollectionInfo | undefined;
    const renamed = await this.changeWhole(db, from, (transaction, collection) => {
      replaced = transaction.collection(toDb, to);
      if (replaced !== undefined) {
        if (!dropTarget) throw new CommandError(48, 'target namespace exists');
        transaction.dropCollection(replaced);
      }
      transaction.putCollection({ ...collection, db: toDb, name: to });
      return collection;
    });
    if (renamed === undefined) throw new CommandError(26, `Source collection ${namespace(db, from)} does not exist`);
    if (replaced !== undefined) this.forgetCollections([replaced]);
  }

  async dropDatabase(db: string): Promise<void> {
    const view = this.view();
    const names = view.collections(db).map(({ name }) => name);
    view.release();
    for (const name of names) await this.dropCollection(db, name);
  }

  async createIndex({ db, name }: CollectionInfo, spec: Doc): Promise<{ created: boolean }> {
    const normal = normaliseSpec(spec);
    const id = this.nextFreeId++;
    const index = indexInfo(id, normal, false);
    try {
      await this.prepareIndex(index);
      const created = await this.changeWhole(db, name, async (transaction, collection) => {
        if (findEqualIndex(collection, normal) !== undefined) return false;
        await buildIndex(transaction, collection, index, {
          environment: this.environment,
          committer: this.committer,
          keysOf: this.services.keysOf,
        });
        return true;
      });
      if (created === undefined) throw new CommandError(26, `ns does not exist: ${namespace(db, name)}`);
      if (!created) this.extractors.delete(id);
      return { created };
    } catch (error) {
      this.extractors.delete(id);
      this.purgeLater([id]);
      throw error;
    }
  }

  async dropIndex({ db, name }: CollectionInfo, indexName: string): Promise<void> {
    const dropped = await this.changeWhole(db, name, (transaction, collection) => {
      const index = collection.indexes.find((found) => found.name === indexName);
      if (index === undefined) throw new CommandError(27, `index not found with name [${indexName}]`);
      if (isIdIndex(index)) throw new CommandError(72, 'cannot drop _id index');
      transaction.putCollection(
        withIndexes(
          collection,
          collection.indexes.filter((other) => other !== index),
        ),
      );
      return index;
    });
    if (dropped === undefined) throw new CommandError(26, `ns not found ${namespace(db, name)}`);
    this.purgeLater([dropped.id]);
  }

  keyspace(name: string): Keyspace {
    return new PrefixedKeyspace(this.environment, this.committer, name);
  }

  close(): Promise<void> {
    this.closing ??= this.shutDown();
    return this.closing;
  }

  private async shutDown(): Promise<void> {
    this.snapshots.close();
    await this.purging;
    await this.committer.drained();
    await this.environment.close();
    this.options.onClose();
  }

  private beginBuffered(): BufferedTransaction {
    return new BufferedTransaction(this.services, this.snapshots.acquire());
  }

  private async writeBuffered<T>(
    run: (transaction: BufferedTransaction) => T | Promise<T>,
    deadline = this.options.now() + WRITE_WAIT_MS,
  ): Promise<T> {
    for (;;) {
      const transaction = this.beginBuffered();
      try {
        const result = await run(transaction);
        await transaction.commit();
        return result;
      } catch (error) {
        transaction.abort();
        if (!(error instanceof WriteConflict)) throw error;
        const left = deadline - this.options.now();
        if (left <= 0)
          throw new CommandError(50, 'operation exceeded time limit: other transactions hold what it writes');
        await settledWithin(error.holder, left);
      }
    }
  }

  /** Changes a collection as a whole: new writers wait from the first try on, so that a busy collection's turn comes. */
  private async changeWhole<T>(
    db: string,
    name: string,
    run: (transaction: BufferedTransaction, collection: CollectionInfo) => T | Promise<T>,
  ): Promise<T | undefined> {
    let withdraw = () => {};
    try {
      return await this.writeBuffered(async (transaction) => {
        const collection = transaction.collection(db, name);
        if (collection === undefined) return undefined;
        withdraw();
        withdraw = this.locks.announce(lockKey.collection(collection.id));
        return run(transaction, transaction.claimCollection(collection));
      });
    } finally {
      withdraw();
    }
  }

  private async commit(transaction: BufferedTransaction): Promise<CommitNumber> {
    let logged = 0;
    let remember = () => {};
    await this.committer.submit({
      prepare: (state) => {
        const changes = prepareCommit(transaction, state, (collectionId) => this.peekRecordId(collectionId));
        logged = this.oplog.append(state, changes, this.options.now());
        remember = this.retryable.prepare(state, transaction.buffer.retryable);
      },
      done: () => {
        remember();
        this.oplog.committed(logged);
      },
    });
    return transaction.writesAt!;
  }

  private adopt(state: CommitState): void {
    this.head = state.head;
    this.catalog = state.catalog;
    for (const [collectionId, counter] of state.counters) this.counters.set(collectionId, counter);
  }

  private catalogAt(head: Head, transaction: ReadTransaction): Catalog {
    if (head.catalogVersion === this.catalog.version) return this.catalog;
    // A commit that LMDB shows already and that is about to be acknowledged.
    return loadCatalog(this.environment, head.catalogVersion, transaction);
  }

  private counter(collectionId: number): Counter {
    let counter = this.counters.get(collectionId);
    if (counter === undefined) {
      counter = readCounter(this.environment, collectionId);
      this.counters.set(collectionId, counter);
    }
    return counter;
  }

  private peekRecordId(collectionId: number): RecordId {
    return this.recordIds.get(collectionId) ?? this.counter(collectionId).nextRecordId;
  }

  private nextRecordId(collectionId: number): RecordId {
    const recordId = this.peekRecordId(collectionId);
    this.recordIds.set(collectionId, recordId + 1);
    return recordId;
  }

  private keysOf(index: IndexInfo, doc: Doc): DocumentKeys {
    let extract = this.extractors.get(index.id);
    if (extract === undefined) {
      // Indexes with a filter were prepared before anybody could see them.
      const matches = index.partialFilterExpression && this.filterCompiler!(index.partialFilterExpression);
      extract = keyExtractor(index, matches);
      this.extractors.set(index.id, extract);
    }
    return extract(doc);
  }

  private async prepareIndex(index: IndexInfo): Promise<void> {
    if (index.partialFilterExpression === null) return;
    this.filterCompiler ??= await this.options.loadFilterCompiler();
    this.extractors.set(index.id, keyExtractor(index, this.filterCompiler(index.partialFilterExpression)));
  }

  private forgetCollections(collections: readonly CollectionInfo[]): void {
    for (const collection of collections) {
      this.recordIds.delete(collection.id);
      this.counters.delete(collection.id);
      this.purgeLater([collection.id, ...collection.indexes.map(({ id }) => id)]);
    }
  }

  private purgeLater(ids: readonly number[]): void {
    // Rows that are left are found at the next start.
    if (ids.length === 0 || this.closing !== undefined) return;
    this.purging = this.purging.then(() => purge(this.environment, this.committer, ids)).catch(this.options.onError);
  }
}

function loadCatalog(environment: Environment, version: number, transaction?: ReadTransaction): Catalog {
  const collections: CollectionInfo[] = [];
  for (const { key, value } of environment.range('catalog', idKey(0), undefined, {
    ...(transaction && { transaction }),
  })) {
    collections.push(decodeCollection(unseal(key, value, () => `the catalogue's entry of collection ${readId(key)}`)));
  }
  return catalogOf(version, collections);
}

/** Waits until the holder is done, at most `ms`. */
async function settledWithin(holder: { readonly settled: Promise<void> } | undefined, ms: number): Promise<void> {
  if (holder === undefined) return;
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([holder.settled, timeout]);
  clearTimeout(timer);
}
