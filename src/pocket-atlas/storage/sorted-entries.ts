import { compareBytes } from '../bson/compare.js';

export interface SortedEntry {
  readonly key: Uint8Array;
}

/** Items per block: inserting moves at most this many. */
const BLOCK_MAX = 512;

/** Entries by key, in order, with cheap insertion anywhere: a transaction's own index entries. */
export class SortedEntries<T extends SortedEntry> {
  private readonly blocks: T[][] = [];
  size = 0;

  get(key: Uint8Array): T | undefined {
    const block = this.blocks[this.blockOf(key)];
    if (block === undefined) return undefined;
    const entry = block[lowerBound(block, key)];
    return entry !== undefined && compareBytes(entry.key, key) === 0 ? entry : undefined;
  }

  /** Puts the entry in the place of the one with the same key. */
  set(entry: T): void {
    const at = this.blockOf(entry.key);
    const block = this.blocks[at];
    if (block === undefined) {
      this.blocks.push([entry]);
      this.size = 1;
      return;
    }
    const index = lowerBound(block, entry.key);
    const found = block[index];
    if (found !== undefined && compareBytes(found.key, entry.key) === 0) {
      block[index] = entry;
      return;
    }
    block.splice(index, 0, entry);
    this.size++;
    if (block.length > BLOCK_MAX) this.blocks.splice(at + 1, 0, block.splice(BLOCK_MAX / 2));
  }

  /** A copy of the entries within the half-open range, ascending: later changes do not show. */
  slice(from: Uint8Array, to: Uint8Array | undefined): T[] {
    const found: T[] = [];
    for (let at = this.blockOf(from); at < this.blocks.length; at++) {
      const block = this.blocks[at]!;
      for (let index = lowerBound(block, from); index < block.length; index++) {
        const entry = block[index]!;
        if (to !== undefined && compareBytes(entry.key, to) >= 0) return found;
        found.push(entry);
      }
    }
    return found;
  }

  *[Symbol.iterator](): Generator<T, void, undefined> {
    for (const block of this.blocks) yield* block;
  }

  /** The last block that begins at or before the key; the first one when none does. */
  private blockOf(key: Uint8Array): number {
    let [low, high] = [0, this.blocks.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (compareBytes(this.blocks[middle]![0]!.key, key) <= 0) low = middle;
      else high = middle;
    }
    return low;
  }
}

/** The first place whose key is not below `key`. */
function lowerBound(block: readonly SortedEntry[], key: Uint8Array): number {
  let [low, high] = [0, block.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareBytes(block[middle]!.key, key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
