import { encodeKey, storedKey } from '../bson/key.js';
import type { BsonValue, Doc } from '../bson/values.js';
import { CommandError } from '../errors.js';
import type { IndexInfo } from './engine.js';

export type Predicate = (doc: Doc) => boolean;

/** One key of a document in an index. */
export interface IndexKey {
  readonly values: readonly BsonValue[];
  /** Bytes as they are stored, shortened when long. */
  readonly stored: Uint8Array;
}

export interface DocumentKeys {
  readonly keys: readonly IndexKey[];
  /** An array was met on a path. */
  readonly multikey: boolean;
}

const NO_KEYS: DocumentKeys = { keys: [], multikey: false };

/**
 * The keys of documents in one index: one per document, or one per element of an array on its paths. A missing field is
 * indexed as null, an empty array as undefined; a sparse index leaves out a document in which every path is missing.
 * Source: MongoDB manual, "Multikey Indexes", "Sparse Indexes".
 */
export function keyExtractor(index: IndexInfo, matches: Predicate | null): (doc: Doc) => DocumentKeys {
  const paths = Object.keys(index.key).map((path) => path.split('.'));
  const directions = Object.values(index.key);
  return (doc) => {
    if (matches !== null && !matches(doc)) return NO_KEYS;
    const rows: BsonValue[][] = [];
    const multikey = collectRows(
      paths.map((path) => ({ root: doc, path })),
      rows,
    );
    if (index.sparse && rows.every((row) => row.every((value) => value === MISSING))) return NO_KEYS;
    return { keys: distinctKeys(rows, directions), multikey };
  };
}

const fieldsOfIndexes = new WeakMap<readonly IndexInfo[], ReadonlySet<string> | null>();

/** The top-level fields that the keys of these indexes are made of; null when a filter may need any. */
export function indexedFields(indexes: readonly IndexInfo[]): ReadonlySet<string> | null {
  let fields = fieldsOfIndexes.get(indexes);
  if (fields === undefined) {
    const partial = indexes.some(({ partialFilterExpression }) => partialFilterExpression !== null);
    const paths = indexes.flatMap(({ key }) => Object.keys(key));
    fields = partial ? null : new Set(paths.map((path) => path.split('.', 1)[0]!));
    fieldsOfIndexes.set(indexes, fields);
  }
  return fields;
}

/** Combinations of fields that are remembered per list of indexes. */
const COMBINATIONS_MAX = 64;
const indexesByFields = new WeakMap<readonly IndexInfo[], Map<string, readonly IndexInfo[]>>();

/** Those of the indexes, none of them with a filter, whose keys are made of one of these top-level fields. */
export function indexesOver(indexes: readonly IndexInfo[], fields: ReadonlySet<string>): readonly IndexInfo[] {
  let known = indexesByFields.get(indexes);
  if (known === undefined) {
    known = new Map();
    indexesByFields.set(indexes, known);
  }
  const combination = [...fields].join('\0');
  let found = known.get(combination);
  if (found === undefined) {
    found = indexes.filter(({ key }) => Object.keys(key).some((path) => fields.has(path.split('.', 1)[0]!)));
    if (known.size < COMBINATIONS_MAX) known.set(combination, found);
  }
  return found;
}

function distinctKeys(rows: readonly BsonValue[][], directions: readonly (1 | -1)[]): IndexKey[] {
  const keys = new Map<string, IndexKey>();
  for (const row of rows) {
    const values = row.map((value) => (value === MISSING ? null : value));
    const stored = storedKey(encodeKey(values, directions));
    if (rows.length === 1) return [{ values, stored }];
    keys.set(Buffer.from(stored.buffer, stored.byteOffset, stored.length).toString('latin1'), { values, stored });
  }
  return [...keys.values()];
}

/** A path that leads nowhere; undefined is the key of an empty array. */
const MISSING = Symbol('missing') as unknown as BsonValue;

/** What is left of a path, and the value that it starts from. */
interface Walk {
  readonly root: BsonValue;
  readonly path: readonly string[];
}

type Reached =
  | { readonly kind: 'value'; readonly value: BsonValue }
  /** An array that is to be spread; the rest of the path goes on inside its elements. */
  | { readonly kind: 'array'; readonly array: readonly BsonValue[]; readonly rest: readonly string[] };

/** Adds a row of values per key; returns whether an array was met. */
function collectRows(walks: readonly Walk[], rows: BsonValue[][]): boolean {
  const reached = walks.map(walk);
  const arrays = new Set(reached.flatMap((end) => (end.kind === 'array' ? [end.array] : [])));
  if (arrays.size === 0) {
    rows.push(reached.map((end) => (end as { value: BsonValue }).value));
    return false;
  }
  // Two arrays would need a key for every pair of elements.
  if (arrays.size > 1) throw new CommandError(171, 'cannot index parallel arrays');
  const [array = []] = arrays;
  for (const element of array.length === 0 ? [undefined] : array) {
    collectRows(
      reached.map((end): Walk => {
        if (end.kind === 'value') return { root: end.value, path: DONE };
        if (end.rest.length === 0) return { root: element, path: DONE };
        // An array directly inside an array is not walked into.
        return { root: Array.isArray(element) ? undefined : element, path: end.rest };
      }),
      rows,
    );
  }
  return true;
}

/** Marks a walk that has arrived: an array there is a value of its own. */
const DONE: readonly string[] = Object.freeze(['']);

function walk({ root, path }: Walk): Reached {
  if (path === DONE) return { kind: 'value', value: root };
  let value = root;
  for (let step = 0; step < path.length; step++) {
    const name = path[step]!;
    if (Array.isArray(value)) {
      if (!/^\d+$/.test(name)) return { kind: 'array', array: value, rest: path.slice(step) };
      value = value[Number(name)];
    } else value = isDocument(value) && Object.hasOwn(value, name) ? value[name] : undefined;
    if (value === undefined) return { kind: 'value', value: MISSING };
  }
  return Array.isArray(value) ? { kind: 'array', array: value, rest: [] } : { kind: 'value', value };
}

function isDocument(value: BsonValue): value is Doc {
  if (value === null || typeof value !== 'object') return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
