import { compareBytes, equals } from '../bson/compare.js';
import { encodeKey, KEY_PREFIX_BYTES, keyPrefix, prefixEnd } from '../bson/key.js';
import type { IndexInfo, KeyRange } from './engine.js';
import { ID_BYTES, idKey } from './layout.js';

/** A half-open range of keys of the table `entries`. */
export interface ByteRange {
  readonly from: Uint8Array;
  readonly to: Uint8Array;
}

type Bound = NonNullable<KeyRange['lower']>;

/**
 * The keys of an index within a range of values. Where the first part on which the bounds differ descends, the greater
 * values come first, so the bounds change places. Bounds longer than a stored key are widened to its prefix.
 */
export function keyBounds(index: IndexInfo, range: KeyRange): ByteRange | undefined {
  const directions = Object.values(index.key);
  const descends = directions[firstDifference(range)] === -1;
  const [first, last] = descends ? [range.upper, range.lower] : [range.lower, range.upper];
  const base = idKey(index.id);
  const from = first === undefined ? base : boundBytes(base, first, directions, 'from');
  const to = last === undefined ? prefixEnd(base)! : boundBytes(base, last, directions, 'to');
  return compareBytes(from, to) < 0 ? { from, to } : undefined;
}

function firstDifference({ lower, upper }: KeyRange): number {
  const [low, high] = [lower?.values ?? [], upper?.values ?? []];
  let part = 0;
  while (part < low.length && part < high.length && equals(low[part], high[part])) part++;
  return part;
}

function boundBytes(base: Uint8Array, bound: Bound, directions: readonly (1 | -1)[], side: 'from' | 'to'): Uint8Array {
  const full = encodeKey(bound.values, directions);
  const prefix = keyPrefix(full);
  const bytes = new Uint8Array(ID_BYTES + prefix.length);
  bytes.set(base);
  bytes.set(prefix, ID_BYTES);
  // Shortened keys with this prefix may be on either side of the bound: all are proposed.
  const shortened = full.length > KEY_PREFIX_BYTES;
  const behindBound = shortened ? side === 'to' : bound.inclusive === (side === 'to');
  return behindBound ? prefixEnd(bytes)! : bytes;
}
