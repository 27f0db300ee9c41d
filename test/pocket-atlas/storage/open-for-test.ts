import { onTestFinished } from 'vitest';
import { decode } from '../../../src/pocket-atlas/bson/decode.js';
import { encode } from '../../../src/pocket-atlas/bson/encode.js';
import type { BsonValue, Doc } from '../../../src/pocket-atlas/bson/values.js';
import { CommandError } from '../../../src/pocket-atlas/errors.js';
import type { CollectionInfo, ReadView, RecordId } from '../../../src/pocket-atlas/storage/engine.js';
import { type OpenOptions, openEngine } from '../../../src/pocket-atlas/storage/open-engine.js';
import type { StorageEngine } from '../../../src/pocket-atlas/storage/storage-engine.js';
import { temporaryDirectory } from './temporary-directory.js';

/** An engine that is closed, and whose background errors fail the test, when the test ends. */
export async function openForTest(options: Partial<OpenOptions> = {}): Promise<StorageEngine> {
  const errors: unknown[] = [];
  const engine = await openEngine({
    dataDir: options.dataDir ?? temporaryDirectory(),
    expiryIntervalMs: 0,
    onError: (error) => errors.push(error),
    ...options,
  });
  onTestFinished(async () => {
    await engine.close();
    if (errors.length > 0) throw errors[0];
  });
  return engine;
}

/** An engine with an empty collection `db.c`. */
export async function openWithCollection(options: Partial<OpenOptions> = {}) {
  const engine = await openForTest(options);
  const collection = await engine.createCollection('db', 'c', {});
  return { engine, collection };
}

export function insert(engine: StorageEngine, collection: CollectionInfo, ...docs: Doc[]): Promise<RecordId[]> {
  return engine.write((transaction) => docs.map((doc) => transaction.insert(collection, encode(doc))));
}

/** Runs `read` on a view of the newest commit. */
export function look<T>(engine: StorageEngine, read: (view: ReadView) => T): T {
  const view = engine.view();
  try {
    return read(view);
  } finally {
    view.release();
  }
}

export function scanDocs(view: ReadView, collection: CollectionInfo): Doc[] {
  return [...view.scan(collection)].map(({ bytes }) => decode(bytes));
}

export function docById(view: ReadView, collection: CollectionInfo, id: BsonValue): Doc | undefined {
  const found = view.findById(collection, id);
  return found && decode(found.bytes);
}

/** The server's number of what `run` throws; undefined when it does not. */
export async function codeOf(run: () => unknown): Promise<number | undefined> {
  try {
    await run();
    return undefined;
  } catch (error) {
    if (error instanceof CommandError) return error.code;
    throw error;
  }
}
