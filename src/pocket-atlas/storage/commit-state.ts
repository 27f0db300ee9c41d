import { type Catalog, changeCatalog, encodeCollection } from './catalog.js';
import { seal, unseal } from './checksum.js';
import type { CollectionInfo, CommitNumber, RecordId } from './engine.js';
import type { Environment, ReadTransaction } from './environment.js';
import { idKey, type Operation } from './layout.js';

/** What a snapshot says of itself. */
export interface Head {
  readonly commitNumber: CommitNumber;
  readonly catalogVersion: number;
  /** Collections and indexes share one sequence of ids, never used twice. */
  readonly nextId: number;
}

export interface Counter {
  readonly count: number;
  /** Never falls: a record id is not given out twice, also after its record was removed. */
  readonly nextRecordId: RecordId;
}

const HEAD_KEY = Buffer.from('head');
const EMPTY_HEAD: Head = { commitNumber: 0, catalogVersion: 0, nextId: 1 };

export function readHead(environment: Environment, transaction?: ReadTransaction): Head {
  const value = environment.get('meta', HEAD_KEY, transaction);
  if (value === undefined) return EMPTY_HEAD;
  const [commitNumber = 0, catalogVersion = 0, nextId = 0] = readDoubles(
    unseal(HEAD_KEY, value, () => 'the head of the store'),
  );
  return { commitNumber, catalogVersion, nextId };
}

function headOperation(head: Head): Operation {
  const bytes = doubles([head.commitNumber, head.catalogVersion, head.nextId]);
  return { table: 'meta', key: HEAD_KEY, value: seal(HEAD_KEY, bytes) };
}

export function readCounter(environment: Environment, collectionId: number, transaction?: ReadTransaction): Counter {
  const key = idKey(collectionId);
  const value = environment.get('counters', key, transaction);
  if (value === undefined) return { count: 0, nextRecordId: 1 };
  const [count = 0, nextRecordId = 0] = readDoubles(
    unseal(key, value, () => `the record count of collection number ${collectionId}`),
  );
  return { count, nextRecordId };
}

function counterOperation(collectionId: number, counter: Counter): Operation {
  const key = idKey(collectionId);
  return { table: 'counters', key, value: seal(key, doubles([counter.count, counter.nextRecordId])) };
}

function doubles(values: readonly number[]): Uint8Array {
  const bytes = Buffer.allocUnsafe(values.length * 8);
  for (const [index, value] of values.entries()) bytes.writeDoubleLE(value, index * 8);
  return bytes;
}

function readDoubles(bytes: Uint8Array): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: bytes.byteLength / 8 }, (_, index) => view.getFloat64(index * 8, true));
}

/**
 * The state on top of which a group of commits is being prepared. It becomes the engine's state when the group is on
 * disk, and is thrown away when it failed.
 */
export class CommitState {
  readonly operations: Operation[] = [];
  readonly counters = new Map<number, Counter>();
  private headChanged = false;

  constructor(
    public head: Head,
    public catalog: Catalog,
    private readonly counterOf: (collectionId: number) => Counter,
    private readonly allocatedIds: () => number,
  ) {}

  get commitNumber(): CommitNumber {
    return this.head.commitNumber;
  }

  nextCommit(): CommitNumber {
    this.head = { ...this.head, commitNumber: this.head.commitNumber + 1 };
    this.headChanged = true;
    return this.head.commitNumber;
  }

  add(operation: Operation): void {
    this.operations.push(operation);
  }

  count(collectionId: number, difference: number, nextRecordId: RecordId): void {
    const { count } = this.counters.get(collectionId) ?? this.counterOf(collectionId);
    this.counters.set(collectionId, { count: count + difference, nextRecordId });
  }

  putCollections(collections: readonly CollectionInfo[], removed: readonly number[] = []): void {
    if (collections.length === 0 && removed.length === 0) return;
    this.catalog = changeCatalog(this.catalog, { put: collections, remove: removed });
    this.head = { ...this.head, catalogVersion: this.catalog.version };
    this.headChanged = true;
    for (const collection of collections) {
      const key = idKey(collection.id);
      this.add({ table: 'catalog', key, value: seal(key, encodeCollection(collection)) });
    }
    for (const id of removed) this.add({ table: 'catalog', key: idKey(id), value: null });
  }

  /** Adds what the whole group shares. */
  finish(): void {
    if (this.headChanged) {
      this.head = { ...this.head, nextId: this.allocatedIds() };
      this.add(headOperation(this.head));
    }
    for (const [collectionId, counter] of this.counters) this.add(counterOperation(collectionId, counter));
  }
}
