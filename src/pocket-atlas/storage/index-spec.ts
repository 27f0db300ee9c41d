import { compare, equals } from '../bson/compare.js';
import type { BsonValue, Doc } from '../bson/values.js';
import { CommandError } from '../errors.js';
import { shellText } from './duplicate-key.js';
import type { CollectionInfo, IndexInfo } from './engine.js';

/** Fields of an index specification that change nothing here. */
const IGNORED = ['v', 'ns', 'background', 'commitQuorum'];
const KNOWN = new Set([
  ...IGNORED,
  'key',
  'name',
  'unique',
  'sparse',
  'partialFilterExpression',
  'expireAfterSeconds',
  'hidden',
  'collation',
]);
/** Source: MongoDB manual, "Limits and Thresholds". */
const FIELDS_MAX = 32;
const INDEXES_MAX = 64;
/** Source: MongoDB manual, "TTL Indexes": expireAfterSeconds is 0 to 2147483647. */
const EXPIRE_MAX_S = 2_147_483_647;

/** The index that every collection has. */
export function idIndex(id: number): IndexInfo {
  return indexInfo(id, { v: 2, key: { _id: 1 }, name: '_id_' }, false);
}

export function isIdIndex(index: IndexInfo): boolean {
  return index.name === '_id_';
}

/** Reads a normalised specification (see `normaliseSpec`). */
export function indexInfo(id: number, spec: Doc, multikey: boolean): IndexInfo {
  return {
    id,
    name: spec.name as string,
    key: spec.key as Record<string, 1 | -1>,
    unique: spec.unique === true || spec.name === '_id_',
    sparse: spec.sparse === true,
    partialFilterExpression: (spec.partialFilterExpression as Doc | undefined) ?? null,
    expireAfterSeconds: (spec.expireAfterSeconds as number | undefined) ?? null,
    multikey,
    spec,
  };
}

/**
 * A specification as it is stored and listed: directions 1 or -1, a name, Booleans that are true, nothing that is ignored.
 *
 * @throws CommandError 67 CannotCreateIndex, 197 InvalidIndexSpecificationOption, 14 TypeMismatch.
 */
export function normaliseSpec(spec: Doc): Doc {
  for (const field of Object.keys(spec)) {
    if (!KNOWN.has(field)) {
      throw new CommandError(197, `The field '${field}' is not valid for an index specification`);
    }
  }
  const key = normaliseKey(spec.key);
  const name = spec.name ?? Object.entries(key).flat().join('_');
  if (typeof name !== 'string') throw new CommandError(14, "The field 'name' must be a string");
  if (name === '' || name === '*') throw new CommandError(67, `The index name '${name}' is not valid`);
  const normal: Doc = { v: 2, key, name };
  for (const option of ['unique', 'sparse', 'hidden']) {
    if (truthy(spec[option])) normal[option] = true;
  }
  if (normal.hidden === true) throw new CommandError(67, 'Hidden indexes are not supported by Pocket Atlas');
  if (spec.collation !== undefined && (spec.collation as Doc).locale !== 'simple') {
    throw new CommandError(67, 'Indexes with a collation are not supported by Pocket Atlas');
  }
  if (spec.partialFilterExpression !== undefined) {
    normal.partialFilterExpression = partialFilter(spec.partialFilterExpression, normal);
  }
  if (spec.expireAfterSeconds !== undefined) normal.expireAfterSeconds = expireAfter(spec.expireAfterSeconds, key);
  return normal;
}

function normaliseKey(given: BsonValue): Doc {
  if (given === null || typeof given !== 'object' || Array.isArray(given)) {
    throw new CommandError(14, "The field 'key' must be an object");
  }
  const entries = Object.entries(given as Doc);
  if (entries.length === 0) throw new CommandError(67, 'Index keys cannot be an empty object');
  if (entries.length > FIELDS_MAX) throw new CommandError(67, `Index keys have at most ${FIELDS_MAX} fields`);
  const key: Doc = {};
  for (const [path, direction] of entries) {
    if (typeof direction === 'string') {
      throw new CommandError(
        67,
        `Indexes of type '${direction}' are not supported by Pocket Atlas: use a search index`,
      );
    }
    const sign = compare(direction, 0);
    if (!(equals(direction, 1) || equals(direction, -1)) && (sign === 0 || !isNumber(direction))) {
      throw new CommandError(67, `Values in the index key pattern must be 1 or -1, but '${path}' has another`);
    }
    if (path === '' || path.startsWith('$') || path.split('.').some((part) => part === '' || part === '$**')) {
      throw new CommandError(67, `Index key path '${path}' is not valid or not supported by Pocket Atlas`);
    }
    key[path] = sign > 0 ? 1 : -1;
  }
  return key;
}

function isNumber(value: BsonValue): boolean {
  return compare(value, Number.NaN) >= 0 && compare(value, Number.POSITIVE_INFINITY) <= 0;
}

function truthy(value: BsonValue): boolean {
  return value === true || (typeof value === 'number' && value !== 0);
}

function partialFilter(filter: BsonValue, spec: Doc): Doc {
  if (filter === null || typeof filter !== 'object' || Array.isArray(filter)) {
    throw new CommandError(14, "The field 'partialFilterExpression' must be an object");
  }
  if (spec.sparse === true) {
    throw new CommandError(67, "cannot mix 'partialFilterExpression' and 'sparse' options");
  }
  return filter as Doc;
}

function expireAfter(value: BsonValue, key: Doc): number {
  const seconds = Number(value);
  if (!isNumber(value) || !(seconds >= 0 && seconds <= EXPIRE_MAX_S)) {
    throw new CommandError(
      67,
      `TTL index 'expireAfterSeconds' option must be within an acceptable range, 0 to ${EXPIRE_MAX_S}`,
    );
  }
  const paths = Object.keys(key);
  if (paths.length !== 1)
    throw new CommandError(67, 'TTL indexes are single-field indexes, compound indexes do not support TTL');
  if (paths[0] === '_id') throw new CommandError(67, "The field 'expireAfterSeconds' is not valid for an _id index");
  return Math.floor(seconds);
}

/**
 * The collection's index that `spec` (normalised) asks for again, undefined when it is new.
 *
 * @throws CommandError 85 IndexOptionsConflict, 86 IndexKeySpecsConflict, 67 beyond 64 indexes.
 */
export function findEqualIndex(collection: CollectionInfo, spec: Doc): IndexInfo | undefined {
  const sameName = collection.indexes.find((index) => index.name === spec.name);
  const sameKey = collection.indexes.find((index) => equals(index.key, spec.key) && samePartial(index, spec));
  if (sameName !== undefined && !equals(sameName.key, spec.key)) {
    throw new CommandError(
      86,
      'An existing index has the same name as the requested index. When index names are not specified, they are auto ' +
        'generated and can cause conflicts. Please refer to our documentation. ' +
        `Requested index: ${shellText(spec)}, existing index: ${shellText(sameName.spec)}`,
    );
  }
  if (isIdKey(spec)) return collection.indexes.find(isIdIndex);
  if (sameKey !== undefined && sameKey.name !== spec.name) {
    throw new CommandError(85, `Index already exists with a different name: ${sameKey.name}`);
  }
  if (sameName !== undefined) {
    if (equals(sameName.spec, spec)) return sameName;
    throw new CommandError(
      85,
      'An equivalent index already exists with the same name but different options. ' +
        `Requested index: ${shellText(spec)}, existing index: ${shellText(sameName.spec)}`,
    );
  }
  if (collection.indexes.length >= INDEXES_MAX) {
    throw new CommandError(
      67,
      `add index fails, too many indexes for ${collection.db}.${collection.name}: ${INDEXES_MAX}`,
    );
  }
  return undefined;
}

function samePartial(index: IndexInfo, spec: Doc): boolean {
  return equals(index.partialFilterExpression, spec.partialFilterExpression ?? null);
}

function isIdKey(spec: Doc): boolean {
  return equals(spec.key, { _id: 1 });
}
