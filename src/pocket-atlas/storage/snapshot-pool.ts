import { CommandError } from '../errors.js';
import type { Catalog } from './catalog.js';
import { type Head, readHead } from './commit-state.js';
import type { CommitNumber } from './engine.js';
import { type Environment, READERS_MAX, type ReadTransaction } from './environment.js';

/** Below LMDB's own limit: lmdb keeps a few readers for itself. */
const SNAPSHOTS_MAX = READERS_MAX - 48;

/** One LMDB read snapshot, shared by every view of its commit. */
export interface Snapshot {
  readonly transaction: ReadTransaction;
  readonly head: Head;
  readonly catalog: Catalog;
  /** Throws once the snapshot is gone: LMDB would read freed pages. */
  check(): void;
  release(): void;
}

class Counted implements Snapshot {
  count = 0;

  constructor(
    readonly transaction: ReadTransaction,
    readonly head: Head,
    readonly catalog: Catalog,
    private readonly pool: SnapshotPool,
  ) {}

  check(): void {
    if (this.count <= 0) throw new CommandError(11600, 'The view was released, or the storage engine is closed');
  }

  release(): void {
    // The pool was closed first.
    if (this.count === 0) return;
    this.count--;
    if (this.count === 0) this.pool.drop(this);
  }
}

/**
 * Snapshots by commit: as many views as wanted share one, so that LMDB's readers are never exhausted by views of the same
 * state. A snapshot keeps its pages from being reused, so it ends with its last view.
 */
export class SnapshotPool {
  private readonly open = new Map<CommitNumber, Counted>();
  private closed = false;

  constructor(
    private readonly environment: Environment,
    /** The newest commit that was acknowledged: a view shows at least that. */
    private readonly acknowledged: () => CommitNumber,
    private readonly catalogOf: (head: Head, transaction: ReadTransaction) => Catalog,
  ) {}

  acquire(): Snapshot {
    if (this.closed) throw new CommandError(11600, 'The storage engine is closed');
    const snapshot = this.open.get(this.acknowledged()) ?? this.create();
    snapshot.count++;
    return snapshot;
  }

  drop(snapshot: Counted): void {
    this.open.delete(snapshot.head.commitNumber);
    snapshot.transaction.done();
  }

  /** Ends every snapshot; views that are still held fail from now on. */
  close(): void {
    this.closed = true;
    for (const snapshot of this.open.values()) {
      snapshot.count = 0;
      this.drop(snapshot);
    }
  }

  private create(): Counted {
    let transaction = this.environment.snapshot();
    let head = readHead(this.environment, transaction);
    if (head.commitNumber < this.acknowledged()) {
      // lmdb shares one read transaction within a turn of the event loop; this one began before the last commit.
      transaction.done();
      this.environment.forgetSnapshot();
      transaction = this.environment.snapshot();
      head = readHead(this.environment, transaction);
    }
    const known = this.open.get(head.commitNumber);
    if (known !== undefined || this.open.size >= SNAPSHOTS_MAX) {
      transaction.done();
      if (known !== undefined) return known;
      throw new CommandError(
        365,
        `More than ${SNAPSHOTS_MAX} commits are being read at once: close cursors or transactions`,
      );
    }
    const snapshot = new Counted(transaction, head, this.catalogOf(head, transaction), this);
    this.open.set(head.commitNumber, snapshot);
    return snapshot;
  }
}
