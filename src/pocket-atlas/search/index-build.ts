import { decode } from '../bson/decode.js';
import type { Change, CollectionInfo, CommitNumber, Engine, ReadView, RecordId } from '../storage/engine.js';
import type { BuildEntry } from './catalogue.js';
import type { BuildState } from './index-rows.js';
import { backgroundPacer } from './pace.js';
import type { SearchIndexInstance, SearchIndexKind } from './search-index.js';

/** Changes read from the log, or records scanned, before they are applied together. */
const FEED_BATCH = 200;
const LOG_READ_LIMIT = 1_000;
/** A crash costs at most this much feeding again: changes, and ms after the first of them. */
const PERSIST_AFTER_CHANGES = 2_000;
const PERSIST_AFTER_MS = 1_000;
/** When only other collections change, the position is saved this often, so that the log can be trimmed. */
const PERSIST_IDLE_MS = 5_000;

export interface BuildOptions {
  readonly engine: Engine;
  readonly kind: SearchIndexKind;
  readonly collection: CollectionInfo;
  readonly entry: BuildEntry;
  /** A commit is fed once it is this old, in ms. */
  readonly lagMs: number;
  readonly now: () => number;
  /** The scan is complete and durable. */
  onBuilt(): Promise<void>;
  /** The log no longer reaches back to the checkpoint, or feeding failed: the build is of no use any more. */
  onLost(error?: unknown): void;
  onCollectionDropped(): void;
}

/**
 * One build of one index, from its first scan to its end: scans the collection, then follows the log. It owns the
 * instance: queries borrow it with `use`, and it closes when the last of them is done.
 */
export class IndexBuild {
  readonly entry: BuildEntry;
  state: BuildState = { phase: 'pending' };
  readonly #options: BuildOptions;
  #instance: SearchIndexInstance | undefined;
  #isStopped = false;
  #borrowers = 0;
  #returned: (() => void) | undefined;
  #running: Promise<void> = Promise.resolve();
  #wake: (() => void) | undefined;
  #hasNews = false;
  #position: CommitNumber = 0;
  #changesSincePersist = 0;
  #persistedAt = 0;

  constructor(options: BuildOptions) {
    this.#options = options;
    this.entry = options.entry;
  }

  get rowCount(): number {
    return this.#instance?.rowCount ?? 0;
  }

  isFedUpTo(commit: CommitNumber): boolean {
    if (this.#position >= commit) return true;
    const [next] = this.#options.engine.oplog.read(this.#position, 1);
    return next === undefined || next.commitNumber > commit;
  }

  start(): void {
    this.#running = this.#run().catch((error: unknown) => this.#fail(error));
  }

  /** Only while the build answers queries. */
  async use<T>(query: (instance: SearchIndexInstance) => Promise<T>): Promise<T> {
    if (this.#instance === undefined) throw new Error(`Build ${this.entry.buildId} has no open index`);
    this.#borrowers++;
    try {
      return await query(this.#instance);
    } finally {
      this.#borrowers--;
      if (this.#borrowers === 0) this.#returned?.();
    }
  }

  /** Ends feeding, waits for running queries and closes. With `persist`, what was applied is made durable first. */
  async stop({ persist }: { persist: boolean }): Promise<void> {
    this.#isStopped = true;
    this.#wake?.();
    await this.#running;
    if (this.#borrowers > 0) await new Promise<void>((resolve) => (this.#returned = resolve));
    const instance = this.#instance;
    this.#instance = undefined;
    if (instance === undefined) return;
    if (persist && this.state.phase === 'ready') await this.#persist(instance);
    await instance.close();
  }

  #fail(error: unknown): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.state = { phase: 'failed', message: error instanceof Error ? error.message : String(error) };
    this.#wake?.();
    this.#options.onLost(error);
  }

  async #run(): Promise<void> {
    const { engine, kind, collection, entry } = this.#options;
    const { buildId, definition } = entry;
    const onLost = (error: unknown) => this.#fail(error);
    const instance = await kind.open({ engine, collection, buildId, definition, onLost });
    this.#instance = instance;
    const unsubscribe = engine.oplog.subscribe(() => this.#signal());
    try {
      if (!entry.isBuilt) await this.#build(instance);
      else if (!this.#canCatchUp(instance)) return this.#options.onLost();
      if (this.#isStopped) return;
      this.state = { phase: 'ready' };
      await this.#follow(instance);
    } finally {
      unsubscribe();
    }
  }

  #canCatchUp(instance: SearchIndexInstance): boolean {
    this.#position = instance.checkpoint;
    const { oplog } = this.#options.engine;
    oplog.checkpoint(this.#consumer, this.#position);
    return this.#position + 1 >= oplog.oldest;
  }

  /**
   * Scans with a fresh view per batch, so that no page is pinned for long; changes made meanwhile come from the log, which
   * is kept from before the first view.
   */
  async #build(instance: SearchIndexInstance): Promise<void> {
    const { engine } = this.#options;
    this.state = { phase: 'building' };
    this.#position = engine.oplog.latest;
    engine.oplog.checkpoint(this.#consumer, this.#position);
    for (let after: RecordId | undefined = 0; after !== undefined && !this.#isStopped; ) {
      await backgroundPacer.pause();
      const batch = this.#readBatch(after);
      if (batch === undefined) return this.#collectionGone();
      await instance.apply(batch.records);
      after = batch.last;
    }
    const target = engine.oplog.latest;
    while (!this.#isStopped && (await this.#feed(instance, engine.oplog.read(this.#position, LOG_READ_LIMIT), target)));
    if (this.#isStopped) return;
    await this.#persist(instance);
    await this.#options.onBuilt();
  }

  #readBatch(after: RecordId) {
    return this.#inView((view, collection) => {
      const records: { recordId: RecordId; doc: ReturnType<typeof decode> }[] = [];
      for (const { recordId, bytes } of view.scan(collection, { after })) {
        records.push({ recordId, doc: decode(bytes) });
        if (records.length >= FEED_BATCH || backgroundPacer.isDue()) return { records, last: recordId };
      }
      return { records, last: undefined };
    });
  }

  async #follow(instance: SearchIndexInstance): Promise<void> {
    const { engine, lagMs, now } = this.#options;
    this.#persistedAt = now();
    while (!this.#isStopped) {
      this.#hasNews = false;
      const changes = engine.oplog.read(this.#position, LOG_READ_LIMIT);
      const due = lastDue(changes, now() - lagMs);
      await this.#feed(instance, changes, due);
      if (this.#isStopped) return;
      if (this.#persistDueIn() <= 0) await this.#persist(instance);
      const waiting = changes.find((change) => change.commitNumber > due);
      if (waiting !== undefined) await this.#sleep(Math.min(waiting.at + lagMs - now(), this.#persistDueIn()));
      else if (changes.length === 0) await this.#sleep(this.#persistDueIn());
    }
  }

  /** Applies changes up to a commit; false when there were none. */
  async #feed(instance: SearchIndexInstance, changes: readonly Change[], upTo: CommitNumber): Promise<boolean> {
    const due = changes.filter((change) => change.commitNumber <= upTo);
    const last = due.at(-1);
    if (last === undefined) return false;
    const mine = due.filter((change) => change.collectionId === this.#options.collection.id);
    if (mine.some((change) => change.kind === 'dropCollection')) {
      this.#collectionGone();
      return false;
    }
    // The current record is what counts, however often it changed: applying is idempotent.
    const recordIds = [...new Set(mine.map((change) => change.recordId))];
    for (let from = 0; from < recordIds.length; ) {
      await backgroundPacer.pause();
      const read = this.#readRecords(recordIds, from);
      if (read === undefined) {
        this.#collectionGone();
        return false;
      }
      await instance.apply(read);
      from += read.length;
    }
    this.#position = last.commitNumber;
    this.#changesSincePersist += mine.length;
    return true;
  }

  /** One record or more from a position on. */
  #readRecords(recordIds: readonly RecordId[], from: number) {
    return this.#inView((view, collection) => {
      const records: { recordId: RecordId; doc: ReturnType<typeof decode> | undefined }[] = [];
      for (const recordId of recordIds.slice(from, from + FEED_BATCH)) {
        const bytes = view.get(collection, recordId);
        records.push({ recordId, doc: bytes === undefined ? undefined : decode(bytes) });
        if (backgroundPacer.isDue()) break;
      }
      return records;
    });
  }

  #inView<T>(read: (view: ReadView, collection: CollectionInfo) => T): T | undefined {
    const view = this.#options.engine.view();
    try {
      const collection = collectionWithId(view, this.#options.collection);
      return collection === undefined ? undefined : read(view, collection);
    } finally {
      view.release();
    }
  }

  #collectionGone(): void {
    this.#isStopped = true;
    this.#options.onCollectionDropped();
  }

  get #consumer(): string {
    return consumerName(this.entry.buildId);
  }

  async #persist(instance: SearchIndexInstance): Promise<void> {
    await instance.persist(this.#position);
    this.#options.engine.oplog.checkpoint(this.#consumer, instance.checkpoint);
    this.#changesSincePersist = 0;
    this.#persistedAt = this.#options.now();
  }

  #persistDueIn(): number {
    if (this.#changesSincePersist >= PERSIST_AFTER_CHANGES) return 0;
    const interval = this.#changesSincePersist > 0 ? PERSIST_AFTER_MS : PERSIST_IDLE_MS;
    const behind = (this.#instance?.checkpoint ?? 0) < this.#position;
    return behind ? this.#persistedAt + interval - this.#options.now() : PERSIST_IDLE_MS;
  }

  #signal(): void {
    this.#hasNews = true;
    this.#wake?.();
  }

  /** Until there is news, the build is stopped or `ms` have passed. */
  #sleep(ms: number): Promise<void> {
    if (this.#hasNews || this.#isStopped) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#wake?.(), Math.max(1, ms));
      timer.unref();
      this.#wake = () => {
        clearTimeout(timer);
        this.#wake = undefined;
        resolve();
      };
    });
  }
}

export function consumerName(buildId: string): string {
  return `search:${buildId}`;
}

/** The collection as a view knows it: it may have been renamed since. */
export function collectionWithId(view: ReadView, known: CollectionInfo): CollectionInfo | undefined {
  const same = view.collection(known.db, known.name);
  return same?.id === known.id ? same : allCollections(view).find((collection) => collection.id === known.id);
}

export function allCollections(view: ReadView): CollectionInfo[] {
  return view.databases().flatMap((db) => [...view.collections(db)]);
}

/** The last commit that is old enough; commits are in order of time. */
function lastDue(changes: readonly Change[], committedBy: number): CommitNumber {
  let last = 0;
  for (const change of changes) {
    if (change.at > committedBy) break;
    last = change.commitNumber;
  }
  return last;
}
