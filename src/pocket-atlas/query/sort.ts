import { compare } from '../bson/compare.js';
import type { BsonValue, Doc } from '../bson/values.js';
import { describe } from './describe.js';
import { location } from './errors.js';
import { metaReader } from './expressions/logic.js';
import { count, isNumeric } from './numeric.js';
import { arrayIndexOf, fieldReader, isDocument } from './path.js';

/** The server's bound on the fields of one sort. */
const FIELDS_MAX = 32;

interface SortPart {
  readonly direction: 1 | -1;
  /** The value a document is ordered by: of an array the least (ascending) or greatest (descending). */
  readonly key: (doc: Doc) => BsonValue;
}

/** Orders documents by BSON order; 0 for a tie. For sorting many, `sortDocuments` takes each key only once. */
export function compileSort(sort: Doc): (a: Doc, b: Doc) => number {
  const parts = sortParts(sort);
  return (a, b) => {
    for (const { direction, key } of parts) {
      const order = compare(key(a), key(b));
      if (order !== 0) return order * direction;
    }
    return 0;
  };
}

/** The keys of a document under a sort, and the order of such keys: what sorting, merging and top-n need. */
export interface SortKeys {
  keysOf(doc: Doc): BsonValue[];
  compareKeys(a: readonly BsonValue[], b: readonly BsonValue[]): number;
}

export function compileSortKeys(sort: Doc): SortKeys {
  const parts = sortParts(sort);
  return {
    keysOf: (doc) => parts.map(({ key }) => key(doc)),
    compareKeys: (a, b) => {
      for (let i = 0; i < parts.length; i++) {
        const order = compare(a[i], b[i]);
        if (order !== 0) return order * parts[i]!.direction;
      }
      return 0;
    },
  };
}

/** A stable sort of a copy. */
export function sortDocuments(docs: readonly Doc[], sort: Doc): Doc[] {
  const { keysOf, compareKeys } = compileSortKeys(sort);
  return docs
    .map((doc) => ({ doc, keys: keysOf(doc) }))
    .sort((a, b) => compareKeys(a.keys, b.keys))
    .map(({ doc }) => doc);
}

/** @throws CommandError 15974 to 15976 for what is no sort specification. */
function sortParts(sort: Doc): SortPart[] {
  const entries = Object.entries(sort);
  if (entries.length > FIELDS_MAX) throw location(13103, `too many compound keys: at most ${FIELDS_MAX}`);
  return entries.map(([path, order]) => {
    if (isDocument(order)) return metaPart(path, order);
    if (!isNumeric(order)) {
      throw location(15974, `Illegal key in $sort specification: ${path}: ${describe(order)}`);
    }
    const direction = count(order);
    if (direction !== 1 && direction !== -1) {
      throw location(15975, '$sort key ordering must be 1 (for ascending) or -1 (for descending)');
    }
    checkPath(path);
    return { direction, key: sortKey(path, direction) };
  });
}

function checkPath(path: string): void {
  if (path === '') throw location(40352, 'FieldPath cannot be constructed with empty string');
  for (const part of path.split('.')) {
    if (part === '') throw location(15998, 'FieldPath field names may not be empty strings.');
    if (part.startsWith('$')) {
      throw location(16410, "FieldPath field names may not start with '$'. Consider using $getField or $setField.");
    }
  }
}

/** Metadata sorts from high to low. */
function metaPart(path: string, order: Doc): SortPart {
  const { $meta: name } = order;
  if (typeof name !== 'string' || Object.keys(order).length !== 1) {
    throw location(17312, `$meta is the only expression supported by $sort right now, got ${path}: ${describe(order)}`);
  }
  if (name !== 'randVal') return { direction: -1, key: metaReader(name) };
  // drawn once per document: a comparison that changed its mind would not be an order
  const drawn = new WeakMap<Doc, number>();
  return {
    direction: -1,
    key: (doc) => {
      const known = drawn.get(doc) ?? Math.random();
      drawn.set(doc, known);
      return known;
    },
  };
}

function sortKey(path: string, direction: 1 | -1): (doc: Doc) => BsonValue {
  const names = path.split('.');
  const readers = names.map(fieldReader);
  const indexes = names.map(arrayIndexOf);
  const read = readers[0]!;
  const extreme = (values: readonly BsonValue[]) => {
    let best = values[0];
    for (const value of values) if (compare(value, best) * direction < 0) best = value;
    return best;
  };
  const valuesAt = (value: BsonValue, at: number, into: BsonValue[]): void => {
    if (Array.isArray(value)) {
      if (at === names.length) {
        // an empty array sorts below null, where undefined is
        if (value.length === 0) into.push(undefined);
        else for (const element of value) into.push(element);
      } else if (indexes[at]! >= 0 && indexes[at]! < value.length) {
        valuesAt(value[indexes[at]!], at + 1, into);
      } else {
        for (const element of value) valuesAt(isDocument(element) ? readers[at]!(element) : undefined, at + 1, into);
        if (value.length === 0) into.push(null);
      }
    } else if (at === names.length) into.push(value === undefined ? null : value);
    else valuesAt(isDocument(value) ? readers[at]!(value) : undefined, at + 1, into);
  };
  return (doc) => {
    const value = read(doc);
    // most keys are plain fields
    if (names.length === 1 && !Array.isArray(value)) return value === undefined ? null : value;
    const values: BsonValue[] = [];
    valuesAt(value, 1, values);
    return values.length === 1 ? values[0] : extreme(values);
  };
}
