/**
 * Runs work of one key after another, in the order asked; work of different keys runs at the same time. Only within
 * this process: it spares contention, correctness is the store's.
 */
export class KeyedLock {
  readonly #tails = new Map<string, Promise<void>>();

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key) ?? Promise.resolve();
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const tail = before.then(() => held);
    this.#tails.set(key, tail);
    await before;
    try {
      return await work();
    } finally {
      release();
      // The last in line leaves nothing behind.
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    }
  }
}
