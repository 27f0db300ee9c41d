import { CommandError } from '../errors.js';
import type { CommitNumber } from './engine.js';

/** Whoever takes locks: a transaction, or a change of the catalogue. */
export interface LockOwner {
  /** The commit its reads are at. */
  readonly readsAt: CommitNumber;
  /** Its own commit, once numbered: a view from there on sees its writes, so they are no conflict for it. */
  readonly writesAt: CommitNumber | undefined;
  /** Resolves when its locks are gone; never rejects. */
  readonly settled: Promise<void>;
}

/** 112: another writer was first. `holder` is who to wait for; without one a newer commit was first. */
export class WriteConflict extends CommandError {
  readonly holder: { readonly settled: Promise<void> } | undefined;

  constructor(holder: { readonly settled: Promise<void> } | undefined) {
    super(
      112,
      'Caused by :: Write conflict during plan execution and yielding is disabled. :: Please retry your operation or multi-document transaction.',
      { labels: ['TransientTransactionError'] },
    );
    this.holder = holder;
  }
}

/** Keys of recent commits that are remembered at most; owners from before what is forgotten can write no more. */
const RECENT_KEYS_MAX = 500_000;

interface Shared {
  readonly owners: Set<LockOwner>;
  exclusive: LockOwner | undefined;
  /** A change of the catalogue that waits: no new owner gets in before it. */
  waiting: { readonly settled: Promise<void> } | undefined;
}

/**
 * First writer wins, at the statement. A lock is refused while another open owner holds it, and when it was committed
 * after the owner's snapshot. Nothing waits inside: the caller aborts and waits with empty hands, so there is no deadlock.
 */
export class LockTable {
  private readonly held = new Map<string, LockOwner>();
  private readonly keysOf = new Map<LockOwner, Set<string>>();
  private readonly shared = new Map<string, Shared>();
  /** Keys of commits that some open owner's snapshot does not show, and the commits, oldest first. */
  private readonly recent = new Map<string, CommitNumber>();
  private recentCommits: { readonly commitNumber: CommitNumber; readonly keys: readonly string[] }[] = [];
  /** The newest commit whose keys were forgotten for want of room. */
  private forgottenUpTo: CommitNumber = 0;

  constructor(private readonly recentKeysMax = RECENT_KEYS_MAX) {}

  open(owner: LockOwner): void {
    this.keysOf.set(owner, new Set());
  }

  /** @throws WriteConflict */
  claim(key: string, owner: LockOwner): void {
    const holder = this.held.get(key);
    if (holder === owner) return;
    if (holder !== undefined && !isVisible(holder, owner)) throw new WriteConflict(holder);
    this.checkRecent(key, owner);
    this.held.set(key, owner);
    this.keysOf.get(owner)!.add(key);
  }

  /**
   * Declares that the owner writes inside what `key` names; many may at once.
   *
   * @throws WriteConflict while it is being changed as a whole, or when it was after the owner's snapshot.
   */
  claimShared(key: string, owner: LockOwner): void {
    const lock = this.sharedLock(key);
    if (lock.owners.has(owner) || lock.exclusive === owner) return;
    if (lock.exclusive !== undefined && !isVisible(lock.exclusive, owner)) throw new WriteConflict(lock.exclusive);
    if (lock.waiting !== undefined) throw new WriteConflict(lock.waiting);
    this.checkRecent(key, owner);
    lock.owners.add(owner);
    this.keysOf.get(owner)!.add(key);
  }

  /**
   * Claims what `key` names as a whole.
   *
   * @throws WriteConflict while anybody else writes inside it.
   */
  claimExclusive(key: string, owner: LockOwner): void {
    const lock = this.sharedLock(key);
    if (lock.exclusive === owner) return;
    if (lock.exclusive !== undefined && !isVisible(lock.exclusive, owner)) throw new WriteConflict(lock.exclusive);
    for (const other of lock.owners) {
      if (other !== owner && !isVisible(other, owner)) throw new WriteConflict(other);
    }
    this.checkRecent(key, owner);
    lock.exclusive = owner;
    this.keysOf.get(owner)!.add(key);
  }

  /** Keeps new owners out of `key` until the returned function is called: whoever wants it whole gets its turn. */
  announce(key: string): () => void {
    const lock = this.sharedLock(key);
    if (lock.waiting !== undefined) throw new WriteConflict(lock.waiting);
    let withdrawn = () => {};
    const waiting = { settled: new Promise<void>((resolve) => (withdrawn = resolve)) };
    lock.waiting = waiting;
    return () => {
      if (lock.waiting === waiting) lock.waiting = undefined;
      this.dropUnused(key, lock);
      withdrawn();
    };
  }

  /** Ends an owner; with a commit number, its keys stay known to owners that do not see that commit. */
  close(owner: LockOwner, commitNumber: CommitNumber | undefined): void {
    const keys = this.keysOf.get(owner);
    if (keys === undefined) return;
    this.keysOf.delete(owner);
    const exclusive: string[] = [];
    for (const key of keys) {
      const lock = this.shared.get(key);
      if (lock === undefined) {
        if (this.held.get(key) === owner) this.held.delete(key);
        exclusive.push(key);
        continue;
      }
      lock.owners.delete(owner);
      if (lock.exclusive === owner) {
        lock.exclusive = undefined;
        exclusive.push(key);
      }
      this.dropUnused(key, lock);
    }
    if (commitNumber !== undefined) this.remember(commitNumber, exclusive);
    this.forgetOld();
  }

  /** Open owners and remembered keys, for tests of what is kept. */
  get size(): { owners: number; held: number; recent: number } {
    return { owners: this.keysOf.size, held: this.held.size + this.shared.size, recent: this.recent.size };
  }

  private sharedLock(key: string): Shared {
    let lock = this.shared.get(key);
    if (lock === undefined) {
      lock = { owners: new Set(), exclusive: undefined, waiting: undefined };
      this.shared.set(key, lock);
    }
    return lock;
  }

  private dropUnused(key: string, lock: Shared): void {
    if (lock.owners.size === 0 && lock.exclusive === undefined && lock.waiting === undefined) this.shared.delete(key);
  }

  private checkRecent(key: string, owner: LockOwner): void {
    const commitNumber = this.recent.get(key) ?? 0;
    if (Math.max(commitNumber, this.forgottenUpTo) > owner.readsAt) throw new WriteConflict(undefined);
  }

  private remember(commitNumber: CommitNumber, keys: readonly string[]): void {
    if (keys.length === 0 || this.oldestReader() >= commitNumber) return;
    for (const key of keys) this.recent.set(key, commitNumber);
    this.recentCommits.push({ commitNumber, keys });
  }

  /** Forgets the commits that every open owner sees, and the oldest ones when there are too many keys. */
  private forgetOld(): void {
    if (this.recentCommits.length === 0) return;
    const seenByAll = this.oldestReader();
    let count = 0;
    for (const { commitNumber, keys } of this.recentCommits) {
      const tooMany = this.recent.size > this.recentKeysMax;
      if (commitNumber > seenByAll && !tooMany) break;
      if (commitNumber > seenByAll) this.forgottenUpTo = commitNumber;
      for (const key of keys) if (this.recent.get(key) === commitNumber) this.recent.delete(key);
      count++;
    }
    if (count > 0) this.recentCommits = this.recentCommits.slice(count);
  }

  private oldestReader(): CommitNumber {
    let oldest = Number.POSITIVE_INFINITY;
    for (const owner of this.keysOf.keys()) oldest = Math.min(oldest, owner.readsAt);
    return oldest;
  }
}

function isVisible(holder: LockOwner, to: LockOwner): boolean {
  return holder.writesAt !== undefined && holder.writesAt <= to.readsAt;
}
