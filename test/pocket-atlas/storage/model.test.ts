import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decode } from '../../../src/pocket-atlas/bson/decode.js';
import { encode } from '../../../src/pocket-atlas/bson/encode.js';
import type { BsonValue, Doc } from '../../../src/pocket-atlas/bson/values.js';
import { CommandError } from '../../../src/pocket-atlas/errors.js';
import type { CollectionInfo, IndexInfo, ReadView, Transaction } from '../../../src/pocket-atlas/storage/engine.js';
import { openEngine } from '../../../src/pocket-atlas/storage/open-engine.js';
import type { StorageEngine } from '../../../src/pocket-atlas/storage/storage-engine.js';
import {
  compareRows,
  indexOrder,
  type ModelCollection,
  type ModelIndex,
  type ModelState,
  modelKeys,
  recordById,
  recordsInOrder,
} from './model.js';

/**
 * Random operations on the engine and on a naive model, with several open transactions and views, catalogue changes and
 * reopening; after every step each view must show exactly what the model says, by scan, by id and by every index.
 */

const ID_INDEX: ModelIndex = { name: '_id_', key: { _id: 1 }, unique: true, sparse: false };
const INDEXES: readonly ModelIndex[] = [
  { name: 'a_1', key: { a: 1 }, unique: false, sparse: false },
  { name: 'a_-1_b_1', key: { a: -1, b: 1 }, unique: false, sparse: false },
  { name: 'u_1', key: { u: 1 }, unique: true, sparse: true },
];
const COLLECTIONS = ['x', 'y'];
const SLOTS = 3;

const small: fc.Arbitrary<BsonValue> = fc.constantFrom<BsonValue[]>(
  1,
  2,
  'p',
  'pq',
  null,
  2.5,
  'L'.repeat(1600),
  `${'L'.repeat(1600)}M`,
);
const doc = fc.record(
  {
    _id: fc.constantFrom<BsonValue[]>(1, 2, 3, 'k', `K${'k'.repeat(1600)}`),
    a: fc.oneof(small, fc.array(small, { maxLength: 3 })),
    b: small,
    u: fc.constantFrom(1, 2, 3, 4, 5),
  },
  { requiredKeys: ['_id'] },
);
const target = fc.record({ slot: fc.nat(SLOTS), collection: fc.constantFrom(...COLLECTIONS) });

type CatalogueChange =
  | { readonly type: 'create'; readonly collection: string }
  | { readonly type: 'drop'; readonly collection: string }
  | { readonly type: 'index' | 'dropIndex'; readonly collection: string; readonly index: number };
type Operation =
  | CatalogueChange
  | {
      readonly type: 'put' | 'insert' | 'remove';
      readonly doc: Doc;
      readonly slot: number;
      readonly collection: string;
    }
  | { readonly type: 'begin' | 'commit' | 'abort'; readonly slot: number }
  | { readonly type: 'view' | 'reopen' };

const slot = fc.nat(SLOTS - 1);
const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc
      .tuple(fc.constantFrom('put' as const, 'insert' as const, 'remove' as const), doc, target)
      .map(([type, value, where]) => ({ type, doc: value, ...where })),
  },
  {
    weight: 6,
    arbitrary: fc.record({ type: fc.constantFrom('begin' as const, 'commit' as const, 'abort' as const), slot }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constantFrom('view' as const, 'reopen' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constantFrom('create' as const, 'create' as const, 'drop' as const),
      collection: fc.constantFrom(...COLLECTIONS),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constantFrom('index' as const, 'index' as const, 'dropIndex' as const),
      collection: fc.constantFrom(...COLLECTIONS),
      index: fc.nat(INDEXES.length - 1),
    }),
  },
);

interface OpenTransaction {
  readonly real: Transaction;
  state: ModelState;
  readonly startedAt: number;
  readonly locks: Set<string>;
  /** Collections that it tried to write into: it keeps them from being changed as a whole. */
  readonly touched: Set<number>;
  readonly changed: { collection: ModelCollection; recordId: number; doc: Doc | null }[];
}

class World {
  committed: ModelState = new Map();
  clock = 0;
  /** Lock → time of the last commit that held it. */
  readonly writtenAt = new Map<string, number>();
  readonly open = new Map<number, OpenTransaction>();
  readonly views: { real: ReadView; state: ModelState }[] = [];
  births = 0;
  readonly lastRecordId = new Map<number, number>();
  /** What was never committed may be given out again after reopening. */
  readonly lastCommittedId = new Map<number, number>();

  constructor(
    readonly dataDir: string,
    public engine: StorageEngine,
  ) {}

  async run(step: Operation): Promise<void> {
    switch (step.type) {
      case 'begin':
        if (!this.open.has(step.slot)) this.open.set(step.slot, this.begin());
        break;
      case 'commit':
        await this.commit(step.slot);
        break;
      case 'abort':
        this.open.get(step.slot)?.real.abort();
        this.open.delete(step.slot);
        break;
      case 'view':
        if (this.views.length < 4) this.views.push({ real: this.engine.view(), state: this.committed });
        else this.views.shift()!.real.release();
        break;
      case 'reopen':
        this.open.clear();
        this.views.length = 0;
        await this.engine.close();
        this.engine = await reopened(this.dataDir);
        this.lastRecordId.clear();
        for (const [birth, recordId] of this.lastCommittedId) this.lastRecordId.set(birth, recordId);
        break;
      case 'create':
      case 'drop':
      case 'index':
      case 'dropIndex':
        await this.changeCatalogue(step);
        break;
      default:
        await this.writeDocument(step);
    }
  }

  private begin(): OpenTransaction {
    return {
      real: this.engine.begin(),
      state: this.committed,
      startedAt: this.clock,
      locks: new Set(),
      touched: new Set(),
      changed: [],
    };
  }

  private async commit(at: number): Promise<void> {
    const transaction = this.open.get(at);
    if (transaction === undefined) return;
    this.open.delete(at);
    await transaction.real.commit();
    this.applied(transaction);
  }

  private applied(transaction: OpenTransaction): void {
    if (transaction.changed.length === 0) return;
    this.clock++;
    for (const lock of transaction.locks) this.writtenAt.set(lock, this.clock);
    for (const { collection, recordId, doc: value } of transaction.changed) {
      this.committed = withRecord(this.committed, collection.name, recordId, value);
      this.lastCommittedId.set(collection.birth, Math.max(recordId, this.lastCommittedId.get(collection.birth) ?? 0));
    }
  }

  /** In slot SLOTS: a single write, which waits for nobody here because a conflict with an open transaction is skipped. */
  private async writeDocument(step: Extract<Operation, { doc: Doc }>): Promise<void> {
    const own = this.open.get(step.slot);
    const single = own === undefined ? this.begin() : undefined;
    const transaction = own ?? single!;
    const expected = this.expectedOutcome(transaction, step);
    let outcome: number | 'done';
    for (const lock of expected.locks) transaction.locks.add(lock);
    if (expected.isWrite) transaction.touched.add(transaction.state.get(step.collection)!.birth);
    try {
      const result = applyReal(transaction.real, step);
      outcome = 'done';
      if (expected.code === undefined) this.record(transaction, step, expected, result);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      outcome = error.code;
    }
    expect(outcome, JSON.stringify(step).slice(0, 200)).toBe(expected.code ?? 'done');
    if (single === undefined) {
      // A conflict ends a transaction, as the server does.
      if (outcome === 112) {
        transaction.real.abort();
        this.open.delete(step.slot);
      }
    } else if (outcome === 'done') {
      await single.real.commit();
      this.applied(single);
    } else single.real.abort();
  }

  private record(
    transaction: OpenTransaction,
    step: Extract<Operation, { doc: Doc }>,
    expected: Expected,
    recordId: number | undefined,
  ): void {
    const collection = transaction.state.get(step.collection);
    if (collection === undefined || recordId === undefined) return;
    if (expected.isInsert) {
      expect(recordId).toBeGreaterThan(this.lastRecordId.get(collection.birth) ?? 0);
      this.lastRecordId.set(collection.birth, recordId);
    }
    const value = step.type === 'remove' ? null : step.doc;
    transaction.changed.push({ collection, recordId, doc: value });
    transaction.state = withRecord(transaction.state, collection.name, recordId, value);
  }

  private expectedOutcome(transaction: OpenTransaction, step: Extract<Operation, { doc: Doc }>): Expected {
    const collection = transaction.state.get(step.collection);
    if (collection === undefined) return { locks: [], isInsert: false, isWrite: false };
    const existing = recordById(collection, step.doc._id);
    const isInsert = step.type === 'insert' || (step.type === 'put' && existing === undefined);
    if (step.type === 'remove' && existing === undefined) return { locks: [], isInsert, isWrite: false };
    // A catalogue change after the transaction's begin conflicts with any write into that collection.
    if (!this.isFree(transaction, [`c${collection.birth}`])) return { code: 112, locks: [], isInsert, isWrite: true };
    const before = isInsert ? [] : uniqueLocks(collection, existing!.doc);
    const after = step.type === 'remove' ? [] : uniqueLocks(collection, step.doc);
    const record = isInsert ? [] : [`r${collection.birth}:${existing!.recordId}`];
    const removed = before.filter((lock) => !after.includes(lock));
    const added = after.filter((lock) => !before.includes(lock));
    if (!this.isFree(transaction, [...record, ...removed])) return { code: 112, locks: [], isInsert, isWrite: true };
    // Keys are claimed one after the other: the first that is taken decides between conflict and duplicate.
    const self = isInsert ? undefined : existing!.recordId;
    const claimed = [...record, ...removed];
    for (const lock of added) {
      if (!this.isFree(transaction, [lock])) return { code: 112, locks: [], isInsert, isWrite: true };
      claimed.push(lock);
      if (isTaken(collection, lock, self)) return { code: 11000, locks: claimed, isInsert, isWrite: true };
    }
    return { locks: claimed, isInsert, isWrite: true };
  }

  private isFree(transaction: OpenTransaction, locks: readonly string[]): boolean {
    return locks.every((lock) => {
      for (const other of this.open.values()) if (other !== transaction && other.locks.has(lock)) return false;
      return (this.writtenAt.get(lock) ?? 0) <= transaction.startedAt;
    });
  }

  private async changeCatalogue(step: CatalogueChange): Promise<void> {
    const collection = this.committed.get(step.collection);
    const busy = [...this.open.values()].some(({ touched }) => touched.has(collection?.birth ?? 0));
    // It would wait for the open transaction, which this test cannot end meanwhile.
    if (busy) return;
    const info = this.infoOf(step.collection);
    const code = await outcomeOf(async () => {
      if (step.type === 'create') await this.engine.createCollection('db', step.collection, {});
      else if (step.type === 'drop') await this.engine.dropCollection('db', step.collection);
      else if (info === undefined) return;
      else if (step.type === 'index') await this.engine.createIndex(info, specOf(INDEXES[step.index]!));
      else await this.engine.dropIndex(info, INDEXES[step.index]!.name);
    });
    const next = new Map(this.committed);
    if (step.type === 'create') {
      expect(code).toBe(collection === undefined ? 'done' : 48);
      if (collection !== undefined) return;
      next.set(step.collection, {
        name: step.collection,
        birth: ++this.births,
        records: new Map(),
        indexes: [ID_INDEX],
      });
    } else if (collection === undefined) return;
    else if (step.type === 'drop') {
      next.delete(step.collection);
    } else {
      const index = INDEXES[step.index]!;
      const has = collection.indexes.includes(index);
      const others = collection.indexes.filter((other) => other !== index);
      if (step.type === 'dropIndex') {
        expect(code).toBe(has ? 'done' : 27);
        if (!has) return;
        next.set(collection.name, { ...collection, indexes: others });
      } else {
        const clash = index.unique && hasDuplicates(collection, index);
        expect(code).toBe(clash && !has ? 11000 : 'done');
        if (clash || has) return;
        next.set(collection.name, { ...collection, indexes: [...others, index] });
      }
    }
    this.committed = next;
    this.clock++;
    if (collection !== undefined) this.writtenAt.set(`c${collection.birth}`, this.clock);
  }

  private infoOf(name: string): CollectionInfo | undefined {
    const view = this.engine.view();
    const info = view.collection('db', name);
    view.release();
    return info;
  }

  check(): void {
    const now = this.engine.view();
    checkView(now, this.committed);
    now.release();
    for (const { real, state } of this.views) checkView(real, state);
    for (const { real, state } of this.open.values()) checkView(real, state);
  }
}

interface Expected {
  readonly code?: number;
  readonly locks: readonly string[];
  readonly isInsert: boolean;
  /** Whether it gets as far as claiming the collection. */
  readonly isWrite: boolean;
}

function applyReal(transaction: Transaction, step: Extract<Operation, { doc: Doc }>): number | undefined {
  const info = transaction.collection('db', step.collection);
  if (info === undefined) return undefined;
  const found = transaction.findById(info, step.doc._id);
  if (step.type === 'insert' || (step.type === 'put' && found === undefined)) {
    return transaction.insert(info, encode(step.doc));
  }
  if (found === undefined) return undefined;
  if (step.type === 'remove') transaction.remove(info, found.recordId);
  else transaction.replace(info, found.recordId, encode(step.doc));
  return found.recordId;
}

function withRecord(state: ModelState, name: string, recordId: number, doc: Doc | null): ModelState {
  const collection = state.get(name)!;
  const records = new Map(collection.records);
  if (doc === null) records.delete(recordId);
  else records.set(recordId, doc);
  return new Map(state).set(name, { ...collection, records });
}

/** In the order of the collection's indexes. */
function uniqueLocks(collection: ModelCollection, value: Doc): string[] {
  return collection.indexes
    .filter(({ unique }) => unique)
    .flatMap((index) =>
      modelKeys(index, value).map((row) => `u${collection.birth}:${index.name}:${JSON.stringify(row)}`),
    );
}

function isTaken(collection: ModelCollection, lock: string, self: number | undefined): boolean {
  return recordsInOrder(collection).some(
    ({ recordId, doc: other }) => recordId !== self && uniqueLocks(collection, other).includes(lock),
  );
}

function hasDuplicates(collection: ModelCollection, index: ModelIndex): boolean {
  const order = indexOrder(collection, index);
  return order.some((entry, at) => at > 0 && compareRows(index, order[at - 1]!.row, entry.row) === 0);
}

function specOf({ name, key, unique, sparse }: ModelIndex): Doc {
  return { key: { ...key }, name, ...(unique && { unique }), ...(sparse && { sparse }) };
}

async function outcomeOf(run: () => Promise<void>): Promise<number | 'done'> {
  try {
    await run();
    return 'done';
  } catch (error) {
    if (error instanceof CommandError) return error.code;
    throw error;
  }
}

function checkView(real: ReadView, state: ModelState): void {
  expect(
    real
      .collections('db')
      .map(({ name }) => name)
      .sort(),
  ).toEqual([...state.keys()].sort());
  for (const collection of state.values()) {
    const info = real.collection('db', collection.name)!;
    const expected = recordsInOrder(collection);
    const shown = [...real.scan(info)].map(({ recordId, bytes }) => ({ recordId, doc: decode(bytes) }));
    expect(shown).toEqual(expected);
    expect([...real.scan(info, { reverse: true })].map(({ recordId }) => recordId)).toEqual(
      expected.map(({ recordId }) => recordId).reverse(),
    );
    expect(real.count(info)).toBe(expected.length);
    for (const { doc: value, recordId } of expected) expect(real.findById(info, value._id)?.recordId).toBe(recordId);
    expect(info.indexes.map(({ name }) => name)).toEqual(collection.indexes.map(({ name }) => name));
    for (const index of collection.indexes) checkIndex(real, info, collection, index);
    const middle = expected[expected.length >> 1]?.recordId;
    if (middle !== undefined) {
      const after = [...real.scan(info, { after: middle })].map(({ recordId }) => recordId);
      expect(after).toEqual(expected.filter(({ recordId }) => recordId > middle).map(({ recordId }) => recordId));
    }
  }
}

function checkIndex(real: ReadView, info: CollectionInfo, collection: ModelCollection, model: ModelIndex): void {
  const index = info.indexes.find(({ name }) => name === model.name) as IndexInfo;
  const order = indexOrder(collection, model);
  const all = [...real.scanIndex(info, index, {})];
  expect(sorted(all)).toEqual(sorted(order.map(({ recordId }) => recordId)));
  expect(all).toEqual(order.map(({ recordId }) => recordId));
  expect([...real.scanIndex(info, index, {}, { reverse: true })]).toEqual(all.toReversed());
  for (const { row } of order.filter((_, at) => at % 3 === 0)) checkRanges(real, info, order, model, index, row);
}

/** Ranges that begin or end at a key; what is over it may be proposed too when keys are long. */
function checkRanges(
  real: ReadView,
  info: CollectionInfo,
  order: ReturnType<typeof indexOrder>,
  model: ModelIndex,
  index: IndexInfo,
  row: readonly BsonValue[],
): void {
  const isLong = order.some((entry) => entry.row.some((value) => typeof value === 'string' && value.length > 1000));
  const [direction = 1] = Object.values(model.key);
  for (const parts of [1, row.length]) {
    const values = row.slice(0, parts);
    const side = (other: readonly BsonValue[]) => compareRows(model, other.slice(0, parts), values);
    for (const inclusive of [true, false]) {
      const bound = { values, inclusive };
      // By value: a bound on a part that descends is on the other side of the index.
      const sign = parts === 1 ? direction : Object.values(model.key)[0]!;
      const lower = [...real.scanIndex(info, index, { lower: bound })];
      const upper = [...real.scanIndex(info, index, { upper: bound })];
      const above = (wanted: number) => (entry: { row: readonly BsonValue[] }) =>
        Math.sign(side(entry.row)) === wanted || (inclusive && side(entry.row) === 0);
      expectProposed(lower, order.filter(above(sign)), isLong);
      expectProposed(upper, order.filter(above(-sign)), isLong);
    }
    const both = { values, inclusive: true };
    const same = [...real.scanIndex(info, index, { lower: both, upper: both })];
    expectProposed(
      same,
      order.filter((entry) => side(entry.row) === 0),
      isLong,
    );
  }
}

function expectProposed(proposed: number[], wanted: { recordId: number }[], more: boolean): void {
  const ids = wanted.map(({ recordId }) => recordId);
  if (!more) expect(proposed).toEqual(ids);
  else expect(proposed.filter((recordId) => ids.includes(recordId)).length).toBeGreaterThanOrEqual(ids.length);
}

function sorted(numbers: readonly number[]): number[] {
  return numbers.toSorted((a, b) => a - b);
}

function reopened(dataDir: string): Promise<StorageEngine> {
  return openEngine({ dataDir, expiryIntervalMs: 0, lockWaitMs: 0 });
}

/** In memory where there is such a place: the flush is not what is tested here. */
const root = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

describe('the engine', () => {
  it('shows what a naive model shows, through transactions, views, catalogue changes and reopening', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 10, maxLength: 60, size: 'max' }), async (steps) => {
        const dataDir = mkdtempSync(join(root, 'pocket-atlas-model-'));
        const world = new World(dataDir, await reopened(dataDir));
        try {
          await world.engine.createCollection('db', 'x', {});
          world.committed = new Map([
            ['x', { name: 'x', birth: ++world.births, records: new Map(), indexes: [ID_INDEX] }],
          ]);
          for (const step of steps) {
            await world.run(step);
            world.check();
          }
        } finally {
          await world.engine.close();
          rmSync(dataDir, { recursive: true });
        }
      }),
      { numRuns: 12 },
    );
  }, 120_000);
});
