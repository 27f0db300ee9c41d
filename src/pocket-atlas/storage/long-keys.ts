import { compareBytes } from '../bson/compare.js';
import { KEY_PREFIX_BYTES, STORED_KEY_BYTES_MAX } from '../bson/key.js';
import type { RecordId } from './engine.js';
import { ID_BYTES } from './layout.js';

export interface IndexEntry {
  /** The entry's key in the table: index id, then the stored key (then the record id). */
  readonly key: Uint8Array;
  readonly recordId: RecordId;
}

/** Entries that share a prefix of 1 468 bytes and are put into order; beyond that many they come as they are stored. */
const RUN_MAX = 10_000;

/**
 * Puts entries whose keys are shortened into the order of their whole keys: they are stored in the order of a hash behind
 * a common prefix. `suffixBytes` is what follows the stored key in an entry's key, `wholeKeyOf` finds the key that a stored
 * one stands for (undefined when the record has it no more).
 */
export function* orderLongKeys(
  entries: Iterable<IndexEntry>,
  reverse: boolean,
  suffixBytes: number,
  wholeKeyOf: (entry: IndexEntry, stored: Uint8Array) => Uint8Array | undefined,
): Generator<IndexEntry, void, undefined> {
  const shortenedBytes = ID_BYTES + STORED_KEY_BYTES_MAX + suffixBytes;
  let run: IndexEntry[] = [];
  const ordered = () => {
    const entriesOfRun = run;
    run = [];
    return entriesOfRun.length > 1 ? sortRun(entriesOfRun, reverse, wholeKeyOf) : entriesOfRun;
  };
  for (const entry of entries) {
    const shortened = entry.key.length === shortenedBytes;
    if (run.length > 0 && !(shortened && samePrefix(run[0]!.key, entry.key) && run.length < RUN_MAX)) yield* ordered();
    if (shortened) run.push(entry);
    else yield entry;
  }
  yield* ordered();
}

function sortRun(
  run: readonly IndexEntry[],
  reverse: boolean,
  wholeKeyOf: (entry: IndexEntry, stored: Uint8Array) => Uint8Array | undefined,
): IndexEntry[] {
  const sign = reverse ? -1 : 1;
  return run
    .map((entry) => {
      const stored = entry.key.subarray(ID_BYTES, ID_BYTES + STORED_KEY_BYTES_MAX);
      return { entry, whole: wholeKeyOf(entry, stored) ?? stored };
    })
    .sort((a, b) => sign * (compareBytes(a.whole, b.whole) || a.entry.recordId - b.entry.recordId))
    .map(({ entry }) => entry);
}

function samePrefix(a: Uint8Array, b: Uint8Array): boolean {
  const end = ID_BYTES + KEY_PREFIX_BYTES;
  return compareBytes(a.subarray(0, end), b.subarray(0, end)) === 0;
}
