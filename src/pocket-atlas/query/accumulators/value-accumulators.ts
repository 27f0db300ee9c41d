import { compare } from '../../bson/compare.js';
import type { BsonValue } from '../../bson/values.js';
import { isNullish } from '../expressions/operator.js';
import { approximateSize } from '../memory.js';
import { double, isNumeric, toDouble } from '../numeric.js';
import { NumberSum } from '../sum.js';

/** An accumulator over the values of one expression. */
export interface ValueAccumulator {
  add(value: BsonValue): void;
  value(): BsonValue;
  readonly heldBytes?: number;
}

export function sum(): ValueAccumulator {
  const total = new NumberSum();
  return { add: (value) => total.add(value), value: () => total.total() };
}

export function average(): ValueAccumulator {
  const total = new NumberSum();
  return { add: (value) => total.add(value), value: () => total.average() };
}

/** Welford's algorithm. `lost` degrees of freedom: 0 for a population, 1 for a sample; null with too few numbers. */
export function standardDeviation(lost: 0 | 1): ValueAccumulator {
  let count = 0;
  let mean = 0;
  let squares = 0;
  return {
    add(value: BsonValue) {
      if (!isNumeric(value)) return;
      const x = toDouble(value);
      count++;
      const delta = x - mean;
      mean += delta / count;
      squares += delta * (x - mean);
    },
    value: () => (count - lost <= 0 ? null : double(Math.sqrt(squares / (count - lost)))),
  };
}

export function first(): ValueAccumulator {
  let value: BsonValue = null;
  let isSet = false;
  return {
    add(candidate) {
      if (isSet) return;
      isSet = true;
      value = candidate ?? null;
    },
    value: () => value,
  };
}

export function last(): ValueAccumulator {
  let value: BsonValue = null;
  return {
    add(candidate) {
      value = candidate ?? null;
    },
    value: () => value,
  };
}

/** Null and missing do not take part. */
export function extreme(sign: 1 | -1): ValueAccumulator {
  let value: BsonValue = null;
  return {
    add(candidate) {
      if (isNullish(candidate)) return;
      if (value === null || compare(candidate, value) * sign > 0) value = candidate;
    },
    value: () => value,
  };
}

/** Values that are kept, with their size. */
class Kept {
  readonly values: BsonValue[] = [];
  heldBytes = 0;

  insert(at: number, value: BsonValue): void {
    this.values.splice(at, 0, value);
    this.heldBytes += approximateSize(value);
  }

  removeAt(at: number): void {
    const [removed] = this.values.splice(at, 1);
    this.heldBytes -= approximateSize(removed);
  }
}

export function keepFirst(n: number): ValueAccumulator {
  const kept = new Kept();
  return {
    add: (value) => {
      if (kept.values.length < n) kept.insert(kept.values.length, value ?? null);
    },
    value: () => kept.values.slice(),
    get heldBytes() {
      return kept.heldBytes;
    },
  };
}

export function keepLast(n: number): ValueAccumulator {
  const kept = new Kept();
  return {
    add: (value) => {
      kept.insert(kept.values.length, value ?? null);
      if (kept.values.length > n) kept.removeAt(0);
    },
    value: () => kept.values.slice(),
    get heldBytes() {
      return kept.heldBytes;
    },
  };
}

export function keepExtremes(n: number, sign: 1 | -1): ValueAccumulator {
  const kept = new Kept();
  return {
    add: (value) => {
      if (isNullish(value)) return;
      const at = insertionPoint(kept.values, (other) => compare(value, other) * sign <= 0);
      if (at < n) kept.insert(at, value);
      if (kept.values.length > n) kept.removeAt(n);
    },
    value: () => kept.values.slice(),
    get heldBytes() {
      return kept.heldBytes;
    },
  };
}

/** Behind all that `staysBefore` the new one. `items` are in order. */
export function insertionPoint<T>(items: readonly T[], staysBefore: (item: T) => boolean): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (staysBefore(items[middle]!)) low = middle + 1;
    else high = middle;
  }
  return low;
}
