import { LIMITS, limitExceeded } from './limits.js';

/** Text that one response may hold. Spent before the text is read, so that a greedy selection reads nothing. */
export class TextBudget {
  #spent = 0;

  /** `bytes` is an estimate from below before reading (UTF-16 code units never outnumber UTF-8 bytes). */
  spend(bytes: number): void {
    this.#spent += bytes;
    if (this.#spent > LIMITS.responseTextBytes.maximum)
      throw limitExceeded('responseTextBytes', 'more', 'select fewer documents or their chunks page by page');
  }

  /** Reads a text whose length in UTF-16 units is known, and corrects the estimate by its bytes. */
  async read<T extends string | null>(units: number, load: () => Promise<T>): Promise<T> {
    this.spend(units);
    const text = await load();
    if (text !== null) this.spend(Math.max(0, Buffer.byteLength(text, 'utf8') - units));
    return text;
  }
}
