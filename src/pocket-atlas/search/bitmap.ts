/** A set of row numbers below `size`, one bit each. Operations change the receiver and return it. */
export class Bitmap {
  readonly size: number;
  readonly words: Uint32Array;

  constructor(size: number, words: Uint32Array = new Uint32Array((size + 31) >>> 5)) {
    this.size = size;
    this.words = words;
  }

  add(row: number): void {
    this.words[row >>> 5] = (this.words[row >>> 5] as number) | (1 << (row & 31));
  }

  remove(row: number): void {
    this.words[row >>> 5] = (this.words[row >>> 5] as number) & ~(1 << (row & 31));
  }

  has(row: number): boolean {
    return ((this.words[row >>> 5] as number) >>> (row & 31)) % 2 === 1;
  }

  and(other: Bitmap): this {
    for (let i = 0; i < this.words.length; i++) this.words[i] = (this.words[i] as number) & (other.words[i] as number);
    return this;
  }

  or(other: Bitmap): this {
    for (let i = 0; i < this.words.length; i++) this.words[i] = (this.words[i] as number) | (other.words[i] as number);
    return this;
  }

  andNot(other: Bitmap): this {
    for (let i = 0; i < this.words.length; i++) this.words[i] = (this.words[i] as number) & ~(other.words[i] as number);
    return this;
  }

  not(): this {
    for (let i = 0; i < this.words.length; i++) this.words[i] = ~(this.words[i] as number);
    const used = this.size & 31;
    const last = this.words.length - 1;
    if (used !== 0) this.words[last] = (this.words[last] as number) & ((1 << used) - 1);
    return this;
  }

  fill(): this {
    this.words.fill(0xffffffff);
    const used = this.size & 31;
    if (used !== 0) this.words[this.words.length - 1] = (1 << used) - 1;
    return this;
  }

  count(): number {
    let total = 0;
    for (let i = 0; i < this.words.length; i++) total += popcount(this.words[i] as number);
    return total;
  }

  /** The rows in ascending order; `count()` long. */
  rows(): Uint32Array {
    const rows = new Uint32Array(this.count());
    let next = 0;
    for (let i = 0; i < this.words.length; i++) {
      let word = this.words[i] as number;
      while (word !== 0) {
        rows[next++] = (i << 5) + 31 - Math.clz32(word & -word);
        word &= word - 1;
      }
    }
    return rows;
  }

  copy(): Bitmap {
    return new Bitmap(this.size, this.words.slice());
  }
}

/** Bits set in a 32-bit word. Source: H. S. Warren, "Hacker's Delight", §5-1. */
function popcount(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
