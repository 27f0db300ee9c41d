import type { Doc } from '../bson/values.js';
import type { Keyspace } from '../storage/engine.js';

/** What is remembered of search indexes across restarts: one entry per index, and builds that are still to be removed. */
export interface IndexEntry {
  /** 24 hexadecimal digits, as clients see it. */
  readonly id: string;
  readonly name: string;
  readonly type: 'vectorSearch' | 'search';
  readonly collectionId: number;
  /** Grows with creation: the order of `$listSearchIndexes`. */
  readonly createdOrder: number;
  /** The build that answers, or that will be the first to. */
  main: BuildEntry;
  /** The build of a later definition; takes the place of `main` when it is complete. */
  staged: BuildEntry | null;
}

export interface BuildEntry {
  /** Names the files and keys of the build; never used again. */
  readonly buildId: string;
  readonly definition: Doc;
  readonly version: { readonly version: number; readonly createdAt: number };
  /** The scan is complete and durable: after a restart it only has to catch up. */
  isBuilt: boolean;
}

export interface DiscardedBuild {
  readonly type: IndexEntry['type'];
  readonly buildId: string;
}

export interface Catalogue {
  entries(): IndexEntry[];
  discarded(): DiscardedBuild[];
  save(entry: IndexEntry, discard?: readonly DiscardedBuild[]): Promise<void>;
  remove(entry: IndexEntry, discard: readonly DiscardedBuild[]): Promise<void>;
  forgetDiscarded(build: DiscardedBuild): Promise<void>;
}

export function openCatalogue(keyspace: Keyspace): Catalogue {
  const read = <T>(prefix: string): T[] =>
    Array.from(keyspace.range(key(prefix), key(`${prefix}\xff`)), ({ value }) => JSON.parse(text(value)) as T);
  const discardPut = (build: DiscardedBuild) => ({ key: key(`discard/${build.buildId}`), value: json(build) });

  return {
    entries: () => read<IndexEntry>('index/').sort((a, b) => a.createdOrder - b.createdOrder),
    discarded: () => read<DiscardedBuild>('discard/'),
    save: (entry, discard = []) =>
      keyspace.commit([{ key: key(`index/${entry.id}`), value: json(entry) }, ...discard.map(discardPut)]),
    remove: (entry, discard) =>
      keyspace.commit([{ key: key(`index/${entry.id}`), value: null }, ...discard.map(discardPut)]),
    forgetDiscarded: (build) => keyspace.commit([{ key: key(`discard/${build.buildId}`), value: null }]),
  };
}

function key(name: string): Uint8Array {
  return Buffer.from(name, 'latin1');
}

function json(value: object): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
}
