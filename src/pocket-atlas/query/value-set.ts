import { Binary, BSONSymbol, ObjectId } from 'bson';
import { equals } from '../bson/compare.js';
import { TYPE_ORDER, typeName } from '../bson/type.js';
import type { BsonValue } from '../bson/values.js';
import { toDouble } from './numeric.js';

/** Values that are equal have the same key; values of one key need not be equal. */
function hashKey(value: BsonValue): string | number | boolean | null | undefined {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
      // -0 and NaN as 0
      return value || 0;
    case 'boolean':
    case 'undefined':
      return value;
    default:
  }
  if (value === null) return null;
  // Prefixes only keep apart what is likely to meet; a clash with a plain string costs a comparison, no more.
  if (value instanceof ObjectId) return value.toHexString();
  if (value instanceof Date) return `date ${value.getTime()}`;
  if (value instanceof Binary) return `binary ${value.sub_type} ${value.length()}`;
  if (value instanceof BSONSymbol) return value.value;
  if (Array.isArray(value)) return `[${value.map(hashKey).join()}]`;
  const type = typeName(value);
  if (TYPE_ORDER[type] === TYPE_ORDER.double) return toDouble(value) || 0;
  if (type === 'object') {
    return `{${Object.entries(value)
      .filter(([, field]) => field !== undefined)
      .map(([name, field]) => `${name}:${String(hashKey(field))}`)
      .join()}}`;
  }
  return type;
}

/** A map keyed by BSON equality: 1, 1.0 and NumberLong(1) are one key. Keeps the first spelling and insertion order. */
export class ValueMap<T> {
  private readonly buckets = new Map<unknown, Entry<T>[]>();
  private readonly order: Entry<T>[] = [];

  get size(): number {
    return this.order.length;
  }

  get(key: BsonValue): T | undefined {
    return find(this.buckets.get(hashKey(key)), key)?.value;
  }

  /** The value of `key`, made by `make` when there is none yet. */
  getOrInsert(key: BsonValue, make: () => T): T {
    const hash = hashKey(key);
    const bucket = this.buckets.get(hash);
    const found = find(bucket, key);
    if (found !== undefined) return found.value;
    const entry = { key, value: make() };
    if (bucket === undefined) this.buckets.set(hash, [entry]);
    else bucket.push(entry);
    this.order.push(entry);
    return entry.value;
  }

  entries(): readonly Entry<T>[] {
    return this.order;
  }
}

interface Entry<T> {
  readonly key: BsonValue;
  readonly value: T;
}

function find<T>(bucket: readonly Entry<T>[] | undefined, key: BsonValue): Entry<T> | undefined {
  return bucket?.find((entry) => equals(entry.key, key) && (entry.key === undefined) === (key === undefined));
}

/** A set by BSON equality. */
export class ValueSet {
  private readonly map = new ValueMap<true>();

  constructor(values: Iterable<BsonValue> = []) {
    for (const value of values) this.add(value);
  }

  get size(): number {
    return this.map.size;
  }

  /** Whether it was not there before. */
  add(value: BsonValue): boolean {
    const before = this.map.size;
    this.map.getOrInsert(value, () => true);
    return this.map.size > before;
  }

  has(value: BsonValue): boolean {
    return this.map.get(value) === true;
  }

  values(): BsonValue[] {
    return this.map.entries().map((entry) => entry.key);
  }
}
