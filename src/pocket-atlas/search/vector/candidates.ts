/**
 * Rows that may be among the best, from estimates that are at most an error off. Whatever cannot beat the `capacity` best
 * lower bounds is left out; with errors of 0 that is the answer itself.
 */
export interface Candidate {
  readonly segment: number;
  readonly row: number;
  readonly estimate: number;
  /** The most that its similarity can be. */
  readonly upper: number;
}

/** Dropped candidates are thrown out when this many times as many as needed have gathered. */
const COMPACT_AT = 8;
const COMPACT_MIN = 4_096;

export class Candidates {
  readonly #lowerBounds: LargestNumbers;
  #items: Candidate[] = [];

  constructor(readonly capacity: number) {
    this.#lowerBounds = new LargestNumbers(capacity);
  }

  /** A row that can be at most this similar is not worth offering. */
  get bar(): number {
    return this.#lowerBounds.smallest;
  }

  offer(segment: number, row: number, estimate: number, error: number): void {
    this.#lowerBounds.add(estimate - error);
    this.#items.push({ segment, row, estimate, upper: estimate + error });
    if (this.#items.length > Math.max(COMPACT_MIN, this.capacity * COMPACT_AT)) this.#compact();
  }

  /** By what they can be at most, best first. */
  sorted(): Candidate[] {
    this.#compact();
    return this.#items.sort((a, b) => b.upper - a.upper);
  }

  #compact(): void {
    const { smallest } = this.#lowerBounds;
    this.#items = this.#items.filter(({ upper }) => upper >= smallest);
  }
}

/** The `capacity` largest numbers seen so far, in a binary heap with the smallest at its root. */
class LargestNumbers {
  readonly #heap: number[] = [];

  constructor(readonly capacity: number) {}

  /** Of the numbers kept, when there are `capacity` of them; else -Infinity. */
  get smallest(): number {
    return this.#heap.length < this.capacity ? Number.NEGATIVE_INFINITY : (this.#heap[0] ?? Number.POSITIVE_INFINITY);
  }

  add(value: number): void {
    const heap = this.#heap;
    if (heap.length < this.capacity) {
      let child = heap.push(value) - 1;
      for (let parent = (child - 1) >> 1; child > 0 && value < (heap[parent] as number); parent = (child - 1) >> 1) {
        heap[child] = heap[parent] as number;
        child = parent;
      }
      heap[child] = value;
      return;
    }
    if (heap.length === 0 || value <= (heap[0] as number)) return;
    let parent = 0;
    for (let child = 1; child < heap.length; child = 2 * parent + 1) {
      if (child + 1 < heap.length && (heap[child + 1] as number) < (heap[child] as number)) child++;
      if (value <= (heap[child] as number)) break;
      heap[parent] = heap[child] as number;
      parent = child;
    }
    heap[parent] = value;
  }
}
