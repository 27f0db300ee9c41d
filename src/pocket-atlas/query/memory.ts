import { Binary, Code } from 'bson';
import type { BsonValue } from '../bson/values.js';
import { location } from './errors.js';

/** What a stage that must see all its input may hold, as on the server. Pocket Atlas does not spill to disk. */
export const STAGE_MEMORY_BYTES = 100 * 1024 * 1024;

/** Roughly the bytes of a value in memory, at the price of one walk. */
export function approximateSize(value: BsonValue): number {
  switch (typeof value) {
    case 'string':
      return 16 + 2 * value.length;
    case 'object':
      break;
    default:
      return 8;
  }
  if (value === null) return 8;
  if (Array.isArray(value)) {
    let size = 16;
    for (const item of value) size += approximateSize(item);
    return size;
  }
  if (value instanceof Binary) return 64 + value.length();
  if (value instanceof Code) return 64 + 2 * String(value.code).length;
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return 48;
  let size = 32;
  // keys are shared between documents, a slot for each is not
  for (const name in value) size += 16 + approximateSize((value as Record<string, BsonValue>)[name]);
  return size;
}

/** Counts what one stage holds. */
export class MemoryBudget {
  readonly #stage: string;
  readonly #limit: number;
  #used = 0;

  constructor(stage: string, limit = STAGE_MEMORY_BYTES) {
    this.#stage = stage;
    this.#limit = limit;
  }

  /** @throws CommandError 292 QueryExceededMemoryLimitNoDiskUseAllowed. */
  hold(value: BsonValue): void {
    this.add(approximateSize(value));
  }

  add(bytes: number): void {
    this.#used += bytes;
    if (this.#used > this.#limit) {
      throw location(
        292,
        `Exceeded memory limit for ${this.#stage}: at most ${this.#limit} bytes, and Pocket Atlas does not spill to disk, allowDiskUse or not`,
      );
    }
  }

  fits(bytes: number): boolean {
    return this.#used + bytes <= this.#limit;
  }

  release(bytes: number): void {
    this.#used -= bytes;
  }
}
