import { compareBytes } from '../bson/compare.js';
import { isShortened, KEY_PREFIX_BYTES } from '../bson/key.js';
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
 * a common prefix. `storedKeyOf` is the stored part of an entry's key, `wholeKeyOf` finds the key that it stands for
 * (undefined when the record has it no more).
 */
export function* orderLongKeys(
  entries: Iterable<IndexEntry>,
  reverse: boolean,
  storedKeyOf: (entry: IndexEntry) => Uint8Array,
  wholeKeyOf: (entry: IndexEntry, stored: Uint8Array) => Uint8Array | undefined,
): Generator<IndexEntry, void, undefined> {
  let run: IndexEntry[] = [];
  const ordered = () => {
    const entriesOfRun = run;
    run = [];
    return entriesOfRun.length > 1 ? sortRun(entriesOfRun, reverse, storedKeyOf, wholeKeyOf) : entriesOfRun;
  };
  for (const entry of entries) {
    const shortened = isShortened(storedKeyOf(entry));
    if (run.length > 0 && !(shortened && samePrefix(run[0]!.key, entry.key) && run.length < RUN_MAX)) yield* ordered();
    if (shortened) run.push(entry);
    else yield entry;
  }
  yield* ordered();
}

function sortRun(
  run: readonly IndexEntry[],
  reverse: boolean,
  storedKeyOf: (entry: IndexEntry) => Uint8Array,
  wholeKeyOf: (entry: IndexEntry, stored: Uint8Array) => Uint8Array | undefined,
): IndexEntry[] {
  const sign = reverse ? -1 : 1;
  return run
    .map((entry) => ({ entry, whole: wholeKeyOf(entry, storedKeyOf(entry)) ?? storedKeyOf(entry) }))
    .sort((a, b) => sign * (compareBytes(a.whole, b.whole) || a.entry.recordId - b.entry.recordId))
    .map(({ entry }) => entry);
}

function samePrefix(a: Uint8Array, b: Uint8Array): boolean {
  const end = ID_BYTES + KEY_PREFIX_BYTES;
  return compareBytes(a.subarray(0, end), b.subarray(0, end)) === 0;
}
