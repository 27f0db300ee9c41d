import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, open, type RootDatabase, type Transaction } from 'lmdb';
import { CommandError } from '../errors.js';
import { type Operation, TABLES, type TableName } from './layout.js';

export const STORE_FILE = 'store.mdb';

/** Snapshots that can be open at once; each takes a reader of LMDB (126 by default, then every read fails). */
export const READERS_MAX = 2048;
/** Address space, not disk: growing a map while snapshots are open is what LMDB likes least. */
const MAP_BYTES = 2 ** 38;
/** LMDB's limit with pages of 4 KB. */
const KEY_BYTES_MAX = 1978;
/** A read takes this many entries or bytes at a time and leaves no cursor open between. */
const CHUNK_ENTRIES_MIN = 32;
const CHUNK_ENTRIES_MAX = 256;
const CHUNK_BYTES = 512 * 1024;

export interface Entry {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

export interface RangeOptions {
  readonly reverse?: boolean;
  readonly transaction?: ReadTransaction;
  /** Throws when the snapshot is gone. */
  readonly check?: () => void;
  /** Entries that one read takes at most. */
  readonly chunkMax?: number;
}

export type ReadTransaction = Transaction & { readonly isDone?: boolean };

/** What lmdb's types leave out. */
interface Untyped {
  resetReadTxn(): void;
}

/** The LMDB file: tables of sealed values, reads at a snapshot, atomic writes that resolve once flushed. */
export class Environment {
  private readonly tables: Readonly<Record<TableName, Database<Uint8Array, Uint8Array>>>;

  private constructor(private readonly root: RootDatabase<Uint8Array, Uint8Array>) {
    // A table that is missing can only be so when reading a damaged file.
    const binary = { encoding: 'binary', keyEncoding: 'binary' } as const;
    this.tables = Object.fromEntries(TABLES.map((name) => [name, root.openDB({ name, ...binary })])) as never;
  }

  /** The caller holds the directory's lock: readers that a killed process left in LMDB's lock file are nobody's. */
  static open(dataDir: string, options: { readOnly?: boolean; ephemeral?: boolean } = {}): Environment {
    const path = join(dataDir, STORE_FILE);
    rmSync(`${path}-lock`, { force: true });
    return new Environment(
      open({
        path,
        encoding: 'binary',
        keyEncoding: 'binary',
        maxDbs: TABLES.length + 1,
        maxReaders: READERS_MAX,
        mapSize: MAP_BYTES,
        // A commit then ends with the flush: its promise is the acknowledgement, and nothing is visible before it is durable.
        overlappingSync: false,
        // With it a failed commit also rejects a promise that nobody can reach.
        eventTurnBatching: false,
        readOnly: options.readOnly === true,
        noSync: options.ephemeral === true,
        // lmdb's types do not have it.
        ...({ permissionsMode: 0o600 } as object),
      }),
    );
  }

  get(table: TableName, key: Uint8Array, transaction?: ReadTransaction): Uint8Array | undefined {
    return this.tables[table].get(key, transaction === undefined ? undefined : { transaction });
  }

  /**
   * Entries of the half-open range, ascending or descending. No cursor stays open while the caller holds the iterator;
   * `check` runs before each further read and throws when the snapshot is gone.
   */
  *range(
    table: TableName,
    from: Uint8Array,
    to: Uint8Array | undefined,
    options: RangeOptions = {},
  ): Generator<Entry, void, undefined> {
    const database = this.tables[table];
    const { reverse = false, transaction, check, chunkMax = CHUNK_ENTRIES_MAX } = options;
    let limit = Math.min(CHUNK_ENTRIES_MIN, chunkMax);
    let start = reverse ? to : from;
    const end = reverse ? from : to;
    for (let more = true; more; limit = Math.min(limit * 2, chunkMax)) {
      check?.();
      const chunk: Entry[] = [];
      let bytes = 0;
      // Descending, `start` is the range's exclusive end or the last key read, and `end` its inclusive begin.
      const bounds = { exclusiveStart: start !== undefined && start !== from, inclusiveEnd: reverse };
      const range = database.getRange({
        ...(start !== undefined && { start }),
        ...(end !== undefined && { end }),
        ...(transaction !== undefined && { transaction }),
        ...bounds,
        reverse,
        limit,
      } as never);
      for (const entry of range as Iterable<Entry>) {
        chunk.push(entry);
        bytes += entry.value.length;
        if (bytes > CHUNK_BYTES) break;
      }
      more = chunk.length === limit || bytes > CHUNK_BYTES;
      if (more) start = chunk[chunk.length - 1]!.key;
      yield* chunk;
    }
  }

  /** A read snapshot of the newest commit; `done()` it. */
  snapshot(): ReadTransaction {
    return this.root.useReadTransaction();
  }

  /** Makes the next snapshot a new one. */
  forgetSnapshot(): void {
    (this.root as unknown as Untyped).resetReadTxn();
  }

  /**
   * All or nothing; resolves once it is on disk.
   *
   * @throws CommandError 14031 OutOfDiskSpace or 1 InternalError; the file then is as it was.
   */
  async apply(operations: readonly Operation[]): Promise<void> {
    if (operations.length === 0) return;
    // An exception inside of the batch would commit what came before it.
    for (const { key } of operations) {
      if (key.length === 0 || key.length > KEY_BYTES_MAX) throw new RangeError(`A key has 1 to ${KEY_BYTES_MAX} bytes`);
    }
    try {
      await this.root.batch(() => {
        for (const { table, key, value } of operations) {
          if (value === null) this.tables[table].remove(key);
          else this.tables[table].put(key, value);
        }
      });
    } catch (error) {
      throw await writeFailure(error);
    }
  }

  close(): Promise<void> {
    return this.root.close();
  }
}

const ENOSPC = 28;
/** LMDB's word for a write that ended short, which a full disk and a file size limit cause. */
const EIO = 5;
const EFBIG = 27;

async function writeFailure(error: unknown): Promise<CommandError> {
  // lmdb gives the cause as a promise that rejects.
  const commitError = (error as { commitError?: Promise<unknown> }).commitError;
  const cause = commitError === undefined ? error : await commitError.then(undefined, (reason: unknown) => reason);
  const { code, message } = cause as { code?: number; message?: string };
  if (code === ENOSPC || code === EIO || code === EFBIG) {
    return new CommandError(14031, `The write failed (${message}): the disk may be full. Nothing of it was kept.`, {
      cause,
    });
  }
  return new CommandError(1, `The write failed (${message}). Nothing of it was kept.`, { cause });
}
