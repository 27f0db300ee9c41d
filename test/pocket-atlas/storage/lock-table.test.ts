import { describe, expect, it } from 'vitest';
import { type LockOwner, LockTable, WriteConflict } from '../../../src/pocket-atlas/storage/lock-table.js';

interface TestOwner extends LockOwner {
  writesAt: number | undefined;
}

function openOwner(locks: LockTable, readsAt: number): TestOwner {
  const owner: TestOwner = { readsAt, writesAt: undefined, settled: Promise.resolve() };
  locks.open(owner);
  return owner;
}

describe('the lock table', () => {
  it('keeps nothing once everybody is done', () => {
    const locks = new LockTable();
    const reader = openOwner(locks, 0);
    for (let commit = 1; commit <= 100; commit++) {
      const owner = openOwner(locks, commit - 1);
      locks.claim(`key ${commit}`, owner);
      locks.claimShared('collection', owner);
      locks.close(owner, commit);
    }
    expect(locks.size).toEqual({ owners: 1, held: 0, recent: 100 });
    locks.close(reader, undefined);
    expect(locks.size).toEqual({ owners: 0, held: 0, recent: 0 });
  });

  it('remembers a bounded number of keys: who began before what is forgotten can write no more', () => {
    const locks = new LockTable(10);
    const old = openOwner(locks, 0);
    const newer = openOwner(locks, 15);
    for (let commit = 1; commit <= 20; commit++) {
      const owner = openOwner(locks, commit);
      locks.claim(`key ${commit}`, owner);
      locks.close(owner, commit);
    }
    expect(locks.size.recent).toBeLessThanOrEqual(10);
    expect(() => locks.claim('untouched', old)).toThrow(WriteConflict);
    locks.claim('untouched', newer);
    expect(() => locks.claim('key 18', newer)).toThrow(WriteConflict);
  });

  it('gives a lock to whoever already sees its holder’s commit', () => {
    const locks = new LockTable();
    const committing = openOwner(locks, 0);
    locks.claim('key', committing);
    committing.writesAt = 1;
    const before = openOwner(locks, 0);
    const after = openOwner(locks, 1);
    expect(() => locks.claim('key', before)).toThrow(WriteConflict);
    locks.claim('key', after);
    locks.close(committing, 1);
    expect(() => locks.claim('key', openOwner(locks, 1))).toThrow(WriteConflict);
  });

  it('lets whoever announced a claim of the whole go first', () => {
    const locks = new LockTable();
    const inside = openOwner(locks, 0);
    locks.claimShared('collection', inside);
    const withdraw = locks.announce('collection');
    const late = openOwner(locks, 0);
    expect(() => locks.claimShared('collection', late)).toThrow(WriteConflict);
    locks.claimShared('collection', inside);
    const whole = openOwner(locks, 0);
    expect(() => locks.claimExclusive('collection', whole)).toThrow(WriteConflict);
    locks.close(inside, undefined);
    locks.claimExclusive('collection', whole);
    locks.close(whole, 1);
    withdraw();
    expect(() => locks.claimShared('collection', late)).toThrow(WriteConflict);
    locks.claimShared('collection', openOwner(locks, 1));
  });
});
