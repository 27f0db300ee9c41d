/**
 * A sorted list of terms in one UTF-8 blob, searched without making strings: loading it costs nothing. Terms are
 * ordered by their bytes, as Lucene's are.
 */
export class Dictionary {
  readonly bytes: Buffer;
  /** `offsets[i]` to `offsets[i + 1]` is term i. */
  readonly offsets: Uint32Array;

  constructor(bytes: Buffer, offsets: Uint32Array) {
    this.bytes = bytes;
    this.offsets = offsets;
  }

  /** `terms` sorted by `compareTerms`. */
  static of(terms: readonly Buffer[]): Dictionary {
    const offsets = new Uint32Array(terms.length + 1);
    terms.forEach((term, i) => {
      offsets[i + 1] = offsets[i]! + term.length;
    });
    return new Dictionary(Buffer.concat(terms as Buffer[]), offsets);
  }

  get size(): number {
    return this.offsets.length - 1;
  }

  term(ordinal: number): string {
    return this.bytes.toString('utf8', this.offsets[ordinal]!, this.offsets[ordinal + 1]!);
  }

  /** The ordinal of a term, or -1. */
  find(term: string): number {
    return this.findBytes(Buffer.from(term));
  }

  findBytes(target: Uint8Array): number {
    const at = this.lowerBound(target);
    return at < this.size && this.compareAt(at, target) === 0 ? at : -1;
  }

  /** The first ordinal whose term is not below `target`. */
  lowerBound(target: Uint8Array): number {
    let low = 0;
    let high = this.size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.compareAt(middle, target) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Ordinals of the terms that begin with `prefix`: from `start` up to `end`. */
  prefixRange(prefix: string): { start: number; end: number } {
    const target = Buffer.from(prefix);
    const start = this.lowerBound(target);
    let low = start;
    let high = this.size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const from = this.offsets[middle]!;
      const to = Math.min(this.offsets[middle + 1]!, from + target.length);
      // terms from `start` on are not below the prefix: they have it until the first that does not
      if (to - from === target.length && this.bytes.compare(target, 0, target.length, from, to) === 0) low = middle + 1;
      else high = middle;
    }
    return { start, end: low };
  }

  /** Byte by byte: terms are short, and a call out of JavaScript costs more than all of their bytes. */
  compareAt(ordinal: number, target: Uint8Array): number {
    const { bytes } = this;
    const from = this.offsets[ordinal]!;
    const length = this.offsets[ordinal + 1]! - from;
    const common = Math.min(length, target.length);
    for (let i = 0; i < common; i++) {
      const difference = bytes[from + i]! - target[i]!;
      if (difference !== 0) return difference;
    }
    return length - target.length;
  }
}
