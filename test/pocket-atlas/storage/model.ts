import { compare, equals } from '../../../src/pocket-atlas/bson/compare.js';
import type { BsonValue, Doc } from '../../../src/pocket-atlas/bson/values.js';
import type { RecordId } from '../../../src/pocket-atlas/storage/engine.js';

/** The engine as plain maps: what it must show, written for clearness and not for speed. */

export interface ModelRecord {
  readonly recordId: RecordId;
  readonly doc: Doc;
}

export interface ModelIndex {
  readonly name: string;
  readonly key: Readonly<Record<string, 1 | -1>>;
  readonly unique: boolean;
  readonly sparse: boolean;
}

export interface ModelCollection {
  readonly name: string;
  /** Distinguishes a collection from an earlier one of the same name. */
  readonly birth: number;
  readonly records: ReadonlyMap<RecordId, Doc>;
  readonly indexes: readonly ModelIndex[];
}

export type ModelState = ReadonlyMap<string, ModelCollection>;

export function recordsInOrder(collection: ModelCollection): ModelRecord[] {
  return [...collection.records].map(([recordId, doc]) => ({ recordId, doc })).sort((a, b) => a.recordId - b.recordId);
}

export function recordById(collection: ModelCollection, id: BsonValue): ModelRecord | undefined {
  return recordsInOrder(collection).find(({ doc }) => equals(doc._id, id));
}

/** Keys of a document with one level of arrays, in one index; undefined is the key of an empty array. */
export function modelKeys(index: ModelIndex, doc: Doc): BsonValue[][] {
  const paths = Object.keys(index.key);
  if (index.sparse && paths.every((path) => doc[path] === undefined)) return [];
  let rows: BsonValue[][] = [[]];
  for (const path of paths) {
    const value = doc[path] ?? null;
    const spread = Array.isArray(value) ? (value.length === 0 ? [undefined] : value) : [value];
    rows = rows.flatMap((row) => spread.map((item) => [...row, item]));
  }
  return rows.filter((row, at) => rows.findIndex((other) => compareRows(index, row, other) === 0) === at);
}

export function compareRows(index: ModelIndex, a: readonly BsonValue[], b: readonly BsonValue[]): number {
  for (const [part, direction] of Object.values(index.key).entries()) {
    const order = compare(a[part], b[part]) * direction;
    if (order !== 0) return order;
  }
  return 0;
}

/** All entries of an index in the order that a scan of it must have. */
export function indexOrder(collection: ModelCollection, index: ModelIndex): { row: BsonValue[]; recordId: RecordId }[] {
  return recordsInOrder(collection)
    .flatMap(({ recordId, doc }) => modelKeys(index, doc).map((row) => ({ row, recordId })))
    .sort((a, b) => compareRows(index, a.row, b.row) || a.recordId - b.recordId);
}
