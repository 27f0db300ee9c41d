import { createHash } from 'node:crypto';
import { normalizeTitle } from '../../store/title.js';

/** Entries per title, so that those that follow each other in the table stay few. */
const SPACE_FACTOR = 2;
const FIRST_SIZE = 1_024;
/** Numbers of an entry: two halves of the title's hash, and the line; 0 is no line. */
const ENTRY = 3;

/**
 * On which line of a file each title came first. A file may hold a million titles, so they are known by 64 bits of their
 * hash, twelve bytes each: that two of a million are taken for one happens once in thirty million files.
 */
export class TitleLines {
  #table = new Uint32Array(FIRST_SIZE * ENTRY);
  #count = 0;

  /** The line that had the title before, or null: from now on it is this one. */
  note(title: string, line: number): number | null {
    const hash = createHash('sha256').update(normalizeTitle(title)).digest();
    const [high, low] = [hash.readUInt32LE(0), hash.readUInt32LE(4)];
    const at = place(this.#table, high, low);
    const before = this.#table[at + 2]!;
    if (before !== 0) return before;
    this.#table.set([high, low, line], at);
    if (++this.#count * SPACE_FACTOR * ENTRY > this.#table.length) this.#grow();
    return null;
  }

  #grow(): void {
    const old = this.#table;
    this.#table = new Uint32Array(old.length * 2);
    for (let from = 0; from < old.length; from += ENTRY) {
      const entry = old.subarray(from, from + ENTRY);
      if (entry[2] !== 0) this.#table.set(entry, place(this.#table, entry[0]!, entry[1]!));
    }
  }
}

/** Where the entry of a hash lies, or belongs. */
function place(table: Uint32Array, high: number, low: number): number {
  for (let at = (high % (table.length / ENTRY)) * ENTRY; ; at = (at + ENTRY) % table.length)
    if (table[at + 2] === 0 || (table[at] === high && table[at + 1] === low)) return at;
}
