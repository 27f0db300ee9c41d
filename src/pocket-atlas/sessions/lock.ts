/** Runs one after the other what is asked for at the same time, in the order of asking. */
export class Lock {
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  /** Holders and waiters. */
  get size(): number {
    return this.#waiting;
  }

  async run<T>(work: () => Promise<T> | T): Promise<T> {
    this.#waiting += 1;
    const before = this.#last;
    const mine = before.then(work, work);
    this.#last = mine.then(ignore, ignore);
    try {
      return await mine;
    } finally {
      this.#waiting -= 1;
    }
  }
}

function ignore(): void {}
