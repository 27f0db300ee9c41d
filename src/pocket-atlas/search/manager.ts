import { ObjectId } from 'bson';
import type { BsonValue, Doc } from '../bson/values.js';
import { CommandError } from '../errors.js';
import type { PipelineEnvironment, Stage } from '../query/query.js';
import type { CollectionInfo, CommitNumber, Engine } from '../storage/engine.js';
import { type BuildEntry, type DiscardedBuild, type IndexEntry, openCatalogue } from './catalogue.js';
import { allCollections, consumerName, IndexBuild } from './index-build.js';
import { type Namespace, parseCreate, parseDrop, parseUpdate, type Selector } from './index-commands.js';
import { indexRow, MONGOT_STATE } from './index-rows.js';
import { listStage } from './list-stage.js';
import { SearchFailure } from './search-failure.js';
import type { SearchIndexKind, SearchOutcome, SearchRequest } from './search-index.js';
import { searchStage } from './search-stage.js';

/** Search indexes of one collection at most; Atlas has no fixed number, but every list here has an end. */
const MAX_INDEXES_PER_COLLECTION = 64;
/** A build that fails is started again this often, from nothing, before its index is FAILED. */
const MAX_REBUILDS = 3;

/** Search indexes of all collections: their life, their feeding, and the stages that ask them. */
export interface SearchManager {
  /** `createSearchIndexes`: the command's body in, the reply's fields (without ok) out. Returns before anything is built. */
  create(namespace: Namespace, command: Doc): Promise<Doc>;
  update(namespace: Namespace, command: Doc): Promise<Doc>;
  drop(namespace: Namespace, command: Doc): Promise<Doc>;
  /** Rows of `$listSearchIndexes`; of one index when `name` or `id` is given. */
  list(namespace: Namespace, selector?: Selector): Doc[];
  /** The search stages and `$listSearchIndexes`; undefined for others. Throws what the server finds before running. */
  source(stage: string, spec: BsonValue, environment: PipelineEnvironment): Stage | undefined;
  /** Whether every index of the collection that answers has seen all changes up to a commit. */
  isFedUpTo(namespace: Namespace, commit: CommitNumber): boolean;
  /** Makes what was indexed durable and ends feeding. */
  close(): Promise<void>;
}

export interface SearchManagerOptions {
  readonly engine: Engine;
  readonly kinds: readonly SearchIndexKind[];
  /** Age in ms at which a commit reaches the indexes. Above 0 it makes callers who forget to wait fail. */
  readonly lagMs: number;
  readonly now?: () => number;
}

/** What lives beside an entry of the catalogue. */
interface RunningIndex {
  readonly entry: IndexEntry;
  readonly collection: CollectionInfo;
  main: IndexBuild;
  staged: IndexBuild | undefined;
  rebuilds: number;
}

export async function createSearchManager(options: SearchManagerOptions): Promise<SearchManager> {
  const manager = new Manager(options);
  await manager.start();
  return manager;
}

class Manager implements SearchManager {
  readonly #engine: Engine;
  readonly #kinds: readonly SearchIndexKind[];
  readonly #lagMs: number;
  readonly #now: () => number;
  readonly #catalogue;
  readonly #indexes = new Map<string, RunningIndex>();
  /** Catalogue changes and removals, one after the other. */
  #changes: Promise<unknown> = Promise.resolve();
  /** Builds on their way out. Kept apart from `#changes`: a build may be waiting for its turn there while it is stopped. */
  readonly #retiring = new Set<Promise<void>>();
  #isClosed = false;

  constructor({ engine, kinds, lagMs, now = Date.now }: SearchManagerOptions) {
    this.#engine = engine;
    this.#kinds = kinds;
    this.#lagMs = lagMs;
    this.#now = now;
    this.#catalogue = openCatalogue(engine.keyspace('search-catalogue'));
  }

  /** Takes up what the last run left: removes what was dropped, starts unfinished builds anew, follows the log again. */
  async start(): Promise<void> {
    const collections = this.#inView((view) => new Map(allCollections(view).map((info) => [info.id, info])));
    for (const entry of this.#catalogue.entries()) {
      const collection = collections.get(entry.collectionId);
      if (collection === undefined) {
        await this.#catalogue.remove(entry, discardedBuilds(entry));
        continue;
      }
      const unfinished = [entry.main, entry.staged].filter((build) => build !== null && !build.isBuilt);
      if (!entry.main.isBuilt) entry.main = renewed(entry.main);
      if (entry.staged !== null) entry.staged = renewed(entry.staged);
      if (unfinished.length > 0) {
        await this.#catalogue.save(
          entry,
          unfinished.map((build) => ({ type: entry.type, buildId: (build as BuildEntry).buildId })),
        );
      }
      this.#run(entry, collection);
    }
    for (const build of this.#catalogue.discarded()) await this.#discard(build);
  }

  async create(namespace: Namespace, command: Doc): Promise<Doc> {
    const wanted = parseCreate(command);
    return this.#inOrder(async () => {
      const collection = this.#collection(namespace);
      if (collection === undefined) {
        throw new CommandError(26, `Collection '${namespace.db}.${namespace.collection}' does not exist.`);
      }
      // Everything is checked before anything is made: a command makes all of its indexes or none.
      const checked = wanted.map(({ name, type, definition }) => {
        const kind = this.#kind(type);
        return { name, type, kind, definition: validated(kind, name, definition) };
      });
      const created: Doc[] = [];
      const entries: IndexEntry[] = [];
      for (const { name, type, kind, definition } of checked) {
        const known = this.#named(collection, name)?.entry ?? entries.find((entry) => entry.name === name);
        if (known === undefined) {
          const entry = this.#newEntry(collection, name, type, definition, entries.length);
          entries.push(entry);
          created.push({ id: entry.id, name });
          continue;
        }
        const latest = (known.staged ?? known.main).definition;
        if (known.type !== type || !kind.isEquivalent(latest, definition)) {
          throw new CommandError(
            68,
            `Index ${name} already exists with a different definition. Drop it first if needed.`,
          );
        }
        created.push({ id: known.id, name });
      }
      if (this.#of(collection).length + entries.length > MAX_INDEXES_PER_COLLECTION) {
        throw new CommandError(125, `A collection can have at most ${MAX_INDEXES_PER_COLLECTION} search indexes`);
      }
      for (const entry of entries) {
        await this.#catalogue.save(entry);
        this.#run(entry, collection);
      }
      return { indexesCreated: created };
    });
  }

  async update(namespace: Namespace, command: Doc): Promise<Doc> {
    const { selector, type, definition } = parseUpdate(command);
    return this.#inOrder(async () => {
      const index = this.#selected(namespace, selector);
      const { entry } = index;
      if (type !== undefined && type !== entry.type) throw new CommandError(197, "An index's type cannot be changed");
      const kind = this.#kind(entry.type);
      const normalised = validated(kind, entry.name, definition);
      const latest = entry.staged ?? entry.main;
      const next = newBuild(normalised, latest.version.version + 1, this.#now());
      const build = this.#newBuild(index, next);
      const { main, staged } = index;
      if (main.state.phase === 'ready') {
        entry.staged = next;
        index.staged = build;
        await this.#save(entry, [staged]);
      } else {
        // An index that does not answer has nothing to go on serving: it starts over with the new definition.
        entry.main = next;
        entry.staged = null;
        index.main = build;
        index.staged = undefined;
        await this.#save(entry, [main, staged]);
      }
      build.start();
      return {};
    });
  }

  async drop(namespace: Namespace, command: Doc): Promise<Doc> {
    const selector = parseDrop(command);
    return this.#inOrder(async () => {
      await this.#remove(this.#selected(namespace, selector));
      return {};
    });
  }

  list(namespace: Namespace, selector: Selector = {}): Doc[] {
    const collection = this.#collection(namespace);
    if (collection === undefined) return [];
    return this.#of(collection)
      .filter(({ entry }) => isSelected(entry, selector))
      .map(({ entry, main, staged }) => indexRow(entry, main.state, staged?.state, main.rowCount));
  }

  source(stage: string, spec: BsonValue, environment: PipelineEnvironment): Stage | undefined {
    if (stage === '$listSearchIndexes') {
      return listStage(spec, environment, (namespace, selector) => this.list(namespace, selector));
    }
    const kind = this.#kinds.find((candidate) => Object.hasOwn(candidate.stages, stage));
    const search = kind?.stages[stage];
    if (kind === undefined || search === undefined) return undefined;
    return searchStage(this.#engine, stage, search, spec, environment, (collection, request, context) =>
      this.#answer(kind, collection, request, context),
    );
  }

  isFedUpTo(namespace: Namespace, commit: CommitNumber): boolean {
    const collection = this.#collection(namespace);
    if (collection === undefined) return true;
    return this.#of(collection).every(({ main }) => main.state.phase === 'ready' && main.isFedUpTo(commit));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#changes;
    const builds = [...this.#indexes.values()].flatMap(({ main, staged }) => [main, staged]);
    await Promise.all(builds.map((build) => build?.stop({ persist: true })));
    await Promise.all(this.#retiring);
    await this.#changes;
    this.#indexes.clear();
  }

  async #answer(
    kind: SearchIndexKind,
    collection: CollectionInfo,
    request: SearchRequest,
    context: { stage: string; checkInterrupted(): void; fetch(ids: readonly number[]): (Doc | undefined)[] },
  ): Promise<SearchOutcome> {
    const index = this.#named(collection, request.index);
    if (index === undefined) return request.whenMissing;
    const { entry, main } = index;
    if (entry.type !== kind.type) {
      const found = entry.type === 'search' ? 'search index' : 'vectorSearch index';
      throw new SearchFailure(`Cannot execute ${context.stage} over ${found} '${entry.name}'`);
    }
    if (main.state.phase !== 'ready') {
      const what = entry.type === 'search' ? 'search' : 'vector';
      const state = MONGOT_STATE[main.state.phase];
      throw new SearchFailure(`cannot query ${what} index ${entry.name} while in state ${state}`);
    }
    return main.use((instance) => request.run(instance, { indexName: entry.name, ...context }));
  }

  #run(entry: IndexEntry, collection: CollectionInfo): void {
    const index: RunningIndex = { entry, collection, main: undefined as never, staged: undefined, rebuilds: 0 };
    index.main = this.#newBuild(index, entry.main);
    if (entry.staged !== null) index.staged = this.#newBuild(index, entry.staged);
    this.#indexes.set(entry.id, index);
    index.main.start();
    index.staged?.start();
  }

  #newBuild(index: RunningIndex, entry: BuildEntry): IndexBuild {
    const build: IndexBuild = new IndexBuild({
      engine: this.#engine,
      kind: this.#kind(index.entry.type),
      collection: index.collection,
      entry,
      lagMs: this.#lagMs,
      now: this.#now,
      onBuilt: () => this.#built(index, build),
      onLost: () => this.#inBackground(() => this.#rebuild(index, build)),
      onCollectionDropped: () => this.#inBackground(() => this.#remove(index)),
    });
    return build;
  }

  /** A complete build answers from now on: a staged one takes the place of the main one, which is removed. */
  async #built(index: RunningIndex, build: IndexBuild): Promise<void> {
    await this.#inOrder(async () => {
      if (this.#indexes.get(index.entry.id) !== index) return;
      if (build !== index.main && build !== index.staged) return;
      build.entry.isBuilt = true;
      build.state = { phase: 'ready' };
      if (build === index.main) return this.#catalogue.save(index.entry);
      const old = index.main;
      index.main = build;
      index.staged = undefined;
      index.entry.main = build.entry;
      index.entry.staged = null;
      await this.#save(index.entry, [old]);
    });
  }

  /** Starts a build over when it fell behind the log or failed. */
  async #rebuild(index: RunningIndex, build: IndexBuild): Promise<void> {
    if (this.#isClosed || this.#indexes.get(index.entry.id) !== index) return;
    if (build !== index.main && build !== index.staged) return;
    if (build.state.phase === 'failed' && ++index.rebuilds > MAX_REBUILDS) return;
    const next = renewed(build.entry);
    const replacement = this.#newBuild(index, next);
    if (build === index.main) {
      index.main = replacement;
      index.entry.main = next;
    } else {
      index.staged = replacement;
      index.entry.staged = next;
    }
    await this.#save(index.entry, [build]);
    replacement.start();
  }

  async #remove(index: RunningIndex): Promise<void> {
    if (this.#isClosed || this.#indexes.get(index.entry.id) !== index) return;
    this.#indexes.delete(index.entry.id);
    await this.#catalogue.remove(index.entry, discardedBuilds(index.entry));
    for (const build of [index.main, index.staged]) if (build !== undefined) this.#retire(index.entry, build);
  }

  async #save(entry: IndexEntry, replaced: readonly (IndexBuild | undefined)[]): Promise<void> {
    const retired = replaced.filter((build) => build !== undefined);
    await this.#catalogue.save(
      entry,
      retired.map((build) => ({ type: entry.type, buildId: build.entry.buildId })),
    );
    for (const build of retired) this.#retire(entry, build);
  }

  /** Stops a build and removes what it kept, when the queries that still use it are done. Nobody waits for that. */
  #retire(entry: IndexEntry, build: IndexBuild): void {
    const retired = build
      .stop({ persist: false })
      .then(() => this.#discard({ type: entry.type, buildId: build.entry.buildId }))
      // What could not be removed now is still noted in the catalogue, and removed at the next start.
      .catch(() => {})
      .finally(() => this.#retiring.delete(retired));
    this.#retiring.add(retired);
  }

  async #discard(build: DiscardedBuild): Promise<void> {
    await this.#kind(build.type).discard({ engine: this.#engine, buildId: build.buildId });
    this.#engine.oplog.forget(consumerName(build.buildId));
    await this.#catalogue.forgetDiscarded(build);
  }

  #inOrder<T>(change: () => Promise<T>): Promise<T> {
    const result = this.#changes.catch(() => {}).then(change);
    this.#changes = result.catch(() => {});
    return result;
  }

  /** Nobody waits for it. When the catalogue cannot be written, the next start finds the old state and does it again. */
  #inBackground(change: () => Promise<void>): void {
    this.#inOrder(change).catch(() => {});
  }

  #newEntry(
    collection: CollectionInfo,
    name: string,
    type: IndexEntry['type'],
    definition: Doc,
    offset: number,
  ): IndexEntry {
    const order = Math.max(0, ...[...this.#indexes.values()].map(({ entry }) => entry.createdOrder)) + 1 + offset;
    const id = new ObjectId().toHexString();
    const main = newBuild(definition, 0, this.#now());
    return { id, name, type, collectionId: collection.id, createdOrder: order, main, staged: null };
  }

  #kind(type: IndexEntry['type']): SearchIndexKind {
    const kind = this.#kinds.find((candidate) => candidate.type === type);
    if (kind === undefined)
      throw new CommandError(125, `Search indexes of type '${type}' are not supported by this server`);
    return kind;
  }

  #of(collection: CollectionInfo): RunningIndex[] {
    return [...this.#indexes.values()].filter(({ entry }) => entry.collectionId === collection.id);
  }

  #named(collection: CollectionInfo, name: string): RunningIndex | undefined {
    return this.#of(collection).find(({ entry }) => entry.name === name);
  }

  #selected(namespace: Namespace, selector: Selector): RunningIndex {
    const collection = this.#collection(namespace);
    const index = collection && this.#of(collection).find(({ entry }) => isSelected(entry, selector));
    if (index !== undefined) return index;
    const what = selector.name === undefined ? `id ${selector.id}` : `name ${selector.name}`;
    throw new CommandError(27, `No index with ${what} exists in namespace ${namespace.db}.${namespace.collection}`);
  }

  #collection({ db, collection }: Namespace): CollectionInfo | undefined {
    return this.#inView((view) => view.collection(db, collection));
  }

  #inView<T>(read: (view: ReturnType<Engine['view']>) => T): T {
    const view = this.#engine.view();
    try {
      return read(view);
    } finally {
      view.release();
    }
  }
}

function isSelected(entry: IndexEntry, { name, id }: Selector): boolean {
  return (name === undefined || entry.name === name) && (id === undefined || entry.id === id);
}

function validated(kind: SearchIndexKind, name: string, definition: Doc): Doc {
  try {
    return kind.validate(name, definition);
  } catch (error) {
    if (!(error instanceof SearchFailure)) throw error;
    throw new CommandError(125, `Error creating index '${name}': ${error.message}`, { cause: error });
  }
}

function newBuild(definition: Doc, version: number, createdAt: number): BuildEntry {
  return { buildId: new ObjectId().toHexString(), definition, version: { version, createdAt }, isBuilt: false };
}

/** The same definition and version, to be built from nothing. */
function renewed(build: BuildEntry): BuildEntry {
  return { ...build, buildId: new ObjectId().toHexString(), isBuilt: false };
}

function discardedBuilds(entry: IndexEntry): DiscardedBuild[] {
  return [entry.main, entry.staged].flatMap((build) =>
    build === null ? [] : [{ type: entry.type, buildId: build.buildId }],
  );
}
