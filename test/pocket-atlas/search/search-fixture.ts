import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encode } from '../../../src/pocket-atlas/bson/encode.js';
import { type BsonValue, type Doc, metaOf } from '../../../src/pocket-atlas/bson/values.js';
import type { PipelineEnvironment } from '../../../src/pocket-atlas/query/query.js';
import { createSearchManager, type SearchManager } from '../../../src/pocket-atlas/search/manager.js';
import type { SearchIndexKind } from '../../../src/pocket-atlas/search/search-index.js';
import type { LaneLimits } from '../../../src/pocket-atlas/search/vector/lane-limits.js';
import { createVectorIndexKind } from '../../../src/pocket-atlas/search/vector/vector-index.js';
import type { VectorIndex } from '../../../src/pocket-atlas/search/vector/vector-index-instance.js';
import type { Engine } from '../../../src/pocket-atlas/storage/engine.js';
import { openEngine } from '../../../src/pocket-atlas/storage/open-engine.js';

export const NAMESPACE = { db: 'db', collection: 'c' };

export interface Hit {
  readonly _id: BsonValue;
  readonly score: number;
}

/** Real storage and a real manager over one collection, in a directory of their own. */
export interface SearchFixture {
  engine: Engine;
  manager: SearchManager;
  /** Vector indexes that are open, the newest last. */
  readonly instances: VectorIndex[];
  readonly dataDir: string;
  insert(docs: readonly Doc[]): Promise<void>;
  /** By `_id`; all in one commit. */
  replace(...docs: readonly Doc[]): Promise<void>;
  remove(...ids: readonly BsonValue[]): Promise<void>;
  createIndex(name: string, definition: Doc, type?: string): Promise<void>;
  /** Runs a source stage; documents with their meta. */
  run(stage: string, spec: BsonValue, environment?: Partial<PipelineEnvironment>): Promise<Doc[]>;
  search(spec: Doc): Promise<Hit[]>;
  rows(): Doc[];
  /** Until the index answers with its latest definition. */
  untilReady(name: string): Promise<void>;
  /** Until everything that is committed now can be found. */
  untilFed(): Promise<void>;
  /** Closes and opens again; `whileClosed` may touch the files. */
  restart(whileClosed?: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

export interface FixtureOptions {
  readonly lagMs?: number;
  readonly now?: () => number;
  readonly dataDir?: string;
  readonly kinds?: readonly SearchIndexKind[];
  readonly limits?: LaneLimits;
}

export async function searchFixture(options: FixtureOptions = {}): Promise<SearchFixture> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'gazetteer-search-')));
  const instances: VectorIndex[] = [];
  const kind = createVectorIndexKind(options.limits === undefined ? {} : { limits: options.limits });
  const observed: SearchIndexKind = {
    ...kind,
    async open(request) {
      const instance = await kind.open(request);
      instances.push(instance as VectorIndex);
      return instance;
    },
  };
  const open = async () => {
    const engine = await openEngine({ dataDir });
    const { lagMs = 0, now } = options;
    const kinds = options.kinds ?? [observed];
    const manager = await createSearchManager({ engine, kinds, lagMs, ...(now && { now }) });
    return { engine, manager };
  };
  let { engine, manager } = await open();
  const { db, collection: name } = NAMESPACE;
  if (fixtureCollection(engine) === undefined) await engine.createCollection(db, name, {});

  const fixture: SearchFixture = {
    get engine() {
      return engine;
    },
    get manager() {
      return manager;
    },
    instances,
    dataDir,
    async insert(docs) {
      await engine.write((txn) => {
        for (const doc of docs) txn.insert(txn.collection(db, name)!, encode(doc));
      });
    },
    async replace(...docs) {
      await engine.write((txn) => {
        const info = txn.collection(db, name)!;
        for (const doc of docs) txn.replace(info, txn.findById(info, doc._id)!.recordId, encode(doc));
      });
    },
    async remove(...ids) {
      await engine.write((txn) => {
        const info = txn.collection(db, name)!;
        for (const id of ids) txn.remove(info, txn.findById(info, id)!.recordId);
      });
    },
    async createIndex(index, definition, type = 'vectorSearch') {
      await manager.create(NAMESPACE, { indexes: [{ name: index, type, definition }] });
    },
    async run(stage, spec, environment = {}) {
      const source = manager.source(stage, spec, {
        db,
        collection: name,
        variables: { now: new Date(), vars: {} },
        checkInterrupted: () => {},
        inTransaction: false,
        read: () => {
          throw new Error('not read');
        },
        source: () => undefined,
        sink: () => undefined,
        ...environment,
      });
      if (source === undefined) throw new Error(`no stage ${stage}`);
      const docs: Doc[] = [];
      for await (const batch of source.run(nothing())) docs.push(...batch);
      return docs;
    },
    async search(spec) {
      const docs = await fixture.run('$vectorSearch', { index: 'v', path: 'v', ...spec });
      return docs.map((doc) => ({ _id: doc._id, score: metaOf(doc)?.vectorSearchScore as number }));
    },
    rows: () => manager.list(NAMESPACE),
    untilReady: (index) =>
      until(() => {
        const [row] = manager.list(NAMESPACE, { name: index });
        return row?.status === 'READY';
      }, `index ${index} is ready`),
    async untilFed() {
      const { latest } = engine.oplog;
      await until(() => manager.isFedUpTo(NAMESPACE, latest), `commit ${latest} is fed`);
    },
    async restart(whileClosed = async () => {}) {
      await manager.close();
      await engine.close();
      await whileClosed();
      instances.length = 0;
      ({ engine, manager } = await open());
    },
    async close() {
      await manager.close();
      await engine.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
  return fixture;
}

function fixtureCollection(engine: Engine) {
  const view = engine.view();
  try {
    return view.collection(NAMESPACE.db, NAMESPACE.collection);
  } finally {
    view.release();
  }
}

async function* nothing(): AsyncGenerator<readonly Doc[]> {}

/** Waits for a condition, a turn of the event loop at a time. */
export async function until(condition: () => boolean, what: string, timeoutMs = 30_000): Promise<void> {
  for (const end = Date.now() + timeoutMs; !condition(); ) {
    if (Date.now() > end) throw new Error(`Waited ${timeoutMs} ms in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
