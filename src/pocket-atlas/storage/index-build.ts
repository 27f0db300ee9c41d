import { decode, decodeFields } from '../bson/decode.js';
import type { Doc } from '../bson/values.js';
import { nextTurn } from '../turns.js';
import { withIndexes } from './catalog.js';
import { seal } from './checksum.js';
import type { Committer } from './committer.js';
import { duplicateKey } from './duplicate-key.js';
import type { CollectionInfo, IndexInfo } from './engine.js';
import type { Environment } from './environment.js';
import { type DocumentKeys, indexedFields } from './index-keys.js';
import { entryKey, NO_BYTES, type Operation, recordIdBytes } from './layout.js';
import type { BufferedTransaction } from './transaction.js';

/** A slice of work between two turns of the event loop. */
const SLICE_MS = 5;
const SLICE_OPERATIONS_MAX = 1000;

export interface IndexBuildServices {
  readonly environment: Environment;
  readonly committer: Committer;
  keysOf(index: IndexInfo, doc: Doc): DocumentKeys;
}

/**
 * Builds an index over the existing records. The transaction holds the collection as a whole, so nobody writes into it
 * meanwhile (reads go on); the entries are written in slices under an id that the catalogue does not know yet, and the
 * transaction's commit then makes the index known. A crash or failure before leaves rows without an owner, for `purge`.
 *
 * @throws CommandError 11000 for a unique index over records that share a key.
 */
export async function buildIndex(
  transaction: BufferedTransaction,
  collection: CollectionInfo,
  index: IndexInfo,
  services: IndexBuildServices,
): Promise<void> {
  // Unique keys of this slice and of the one being written; those of earlier slices are on disk.
  let sliceKeys = new Set<string>();
  let writtenKeys = new Set<string>();
  const { environment, committer, keysOf } = services;
  const fields = indexedFields([index]);
  let multikey = false;
  let operations: Operation[] = [];
  let sliceStart = performance.now();
  /** The slice before, being written while this one is made. */
  let written: Promise<void> = Promise.resolve();
  const endSlice = async () => {
    const slice = operations;
    operations = [];
    const before = written;
    written = committer.submit({
      prepare: (state) => {
        for (const operation of slice) state.add(operation);
      },
    });
    // Its failure is met when the next slice ends.
    written.catch(() => {});
    await before;
    await nextTurn();
    writtenKeys = sliceKeys;
    sliceKeys = new Set();
    sliceStart = performance.now();
  };
  for (const { recordId, bytes } of transaction.scan(collection)) {
    const found = keysOf(index, fields === null ? decode(bytes) : decodeFields(bytes, fields));
    multikey ||= found.multikey;
    for (const { stored, values } of found.keys) {
      const key = entryKey(index.id, stored, index.unique ? null : recordId);
      if (index.unique) {
        const text = key.toString('latin1');
        const taken = sliceKeys.has(text) || writtenKeys.has(text) || environment.get('entries', key) !== undefined;
        if (taken) throw duplicateKey(collection, index, values);
        sliceKeys.add(text);
      }
      operations.push({ table: 'entries', key, value: seal(key, index.unique ? recordIdBytes(recordId) : NO_BYTES) });
    }
    if (operations.length >= SLICE_OPERATIONS_MAX || performance.now() - sliceStart >= SLICE_MS) await endSlice();
  }
  await endSlice();
  await written;
  transaction.putCollection(withIndexes(collection, [...collection.indexes, { ...index, multikey }]));
}
