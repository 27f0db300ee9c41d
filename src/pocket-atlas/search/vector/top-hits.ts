/** The best `capacity` items seen so far: higher scores first, then lower record ids (insertion order). */
export class TopHits {
  readonly #capacity: number;
  readonly #scores: number[] = [];
  readonly #ids: number[] = [];

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get isFull(): boolean {
    return this.#ids.length >= this.#capacity;
  }

  /** The score of the worst kept item when full, else -Infinity: nothing strictly below it can get in. */
  get threshold(): number {
    return this.isFull ? (this.#scores[0] as number) : Number.NEGATIVE_INFINITY;
  }

  offer(recordId: number, score: number): void {
    if (!this.isFull) {
      this.#scores.push(score);
      this.#ids.push(recordId);
      this.#siftUp(this.#ids.length - 1);
    } else if (this.#capacity > 0 && isWorse(this.#scores[0], this.#ids[0], score, recordId)) {
      this.#scores[0] = score;
      this.#ids[0] = recordId;
      this.#siftDown(0);
    }
  }

  /** Best first. */
  sorted(): { recordId: number; score: number }[] {
    const hits = this.#ids.map((recordId, i) => ({ recordId, score: this.#scores[i] as number }));
    return hits.sort((a, b) => b.score - a.score || a.recordId - b.recordId);
  }

  // A binary heap with the worst item at its root.
  #siftUp(start: number): void {
    for (let child = start; child > 0; ) {
      const parent = (child - 1) >> 1;
      if (!this.#isWorseAt(child, parent)) return;
      this.#swap(child, parent);
      child = parent;
    }
  }

  #siftDown(start: number): void {
    for (let parent = start; ; ) {
      let worst = parent;
      for (const child of [2 * parent + 1, 2 * parent + 2]) {
        if (child < this.#ids.length && this.#isWorseAt(child, worst)) worst = child;
      }
      if (worst === parent) return;
      this.#swap(parent, worst);
      parent = worst;
    }
  }

  #isWorseAt(a: number, b: number): boolean {
    return isWorse(this.#scores[a], this.#ids[a], this.#scores[b], this.#ids[b]);
  }

  #swap(a: number, b: number): void {
    const [score, id] = [this.#scores[a] as number, this.#ids[a] as number];
    this.#scores[a] = this.#scores[b] as number;
    this.#ids[a] = this.#ids[b] as number;
    this.#scores[b] = score;
    this.#ids[b] = id;
  }
}

function isWorse(scoreA = 0, idA = 0, scoreB = 0, idB = 0): boolean {
  return scoreA < scoreB || (scoreA === scoreB && idA > idB);
}
