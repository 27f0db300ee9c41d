/**
 * Scores of a query: a number per row of the index, most of a megabyte for a few hundred thousand rows. Made anew for every
 * question they would keep the garbage collector busy for as long as the search itself, so they are lent and given back.
 */
const KEPT_BYTES_MAX = 32 << 20;
const free: Float32Array<ArrayBuffer>[] = [];
let freeBytes = 0;

export class ScoreMemory {
  #lent: Float32Array<ArrayBuffer>[] = [];

  /** Zeros. */
  take(rows: number): Float32Array {
    const at = free.findIndex(({ length }) => length >= rows && length <= Math.max(64, rows * 4));
    const [whole] = at < 0 ? [new Float32Array(rows)] : free.splice(at, 1);
    if (at >= 0) freeBytes -= whole!.byteLength;
    this.#lent.push(whole!);
    const scores = whole!.subarray(0, rows);
    return at < 0 ? scores : scores.fill(0);
  }

  /** Gives back all that was taken; who still reads it reads another query's scores. */
  release(): void {
    for (const scores of this.#lent) {
      if (freeBytes + scores.byteLength > KEPT_BYTES_MAX) continue;
      freeBytes += scores.byteLength;
      free.push(scores);
    }
    this.#lent = [];
  }
}
