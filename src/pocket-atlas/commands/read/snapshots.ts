import type { Timestamp } from 'bson';
import { CommandError } from '../../errors.js';
import type { Engine, ReadView } from '../../storage/engine.js';
import type { ClusterClock } from '../../wire/cluster-clock.js';

/** A snapshot read may be continued at the same moment for this long; longer would pin the file's pages. */
const KEPT_MS = 1_000;

interface Snapshot {
  readonly time: Timestamp;
  readonly view: ReadView;
  readonly takenAt: number;
  /** Readers, and the window itself. */
  holders: number;
}

export interface HeldSnapshot {
  readonly time: Timestamp;
  readonly view: ReadView;
  /** Once. */
  readonly release: () => void;
}

/** Moments that can be read again: what sessions with `snapshot: true` ask for by `atClusterTime`. */
export class Snapshots {
  readonly #engine: Engine;
  readonly #clock: ClusterClock;
  readonly #now: () => number;
  /** By cluster time, oldest first. */
  readonly #kept = new Map<string, Snapshot>();

  constructor(options: { readonly engine: Engine; readonly clock: ClusterClock; readonly now: () => number }) {
    this.#engine = options.engine;
    this.#clock = options.clock;
    this.#now = options.now;
  }

  /** This moment, or the one of a cluster time. @throws CommandError 239 when that is kept no longer. */
  hold(time: Timestamp | undefined): HeldSnapshot {
    this.sweep();
    const snapshot = time === undefined ? this.#current() : this.#kept.get(time.toString());
    if (snapshot === undefined) {
      throw new CommandError(
        239,
        `Read timestamp ${time} is older than the oldest available timestamp. Pocket Atlas keeps a snapshot for ${KEPT_MS} ms: read again within that time, or use a transaction.`,
      );
    }
    snapshot.holders += 1;
    return { time: snapshot.time, view: snapshot.view, release: () => letGo(snapshot) };
  }

  sweep(): void {
    const now = this.#now();
    for (const [key, snapshot] of this.#kept) {
      if (now - snapshot.takenAt < KEPT_MS) break;
      this.#kept.delete(key);
      letGo(snapshot);
    }
  }

  close(): void {
    for (const snapshot of this.#kept.values()) letGo(snapshot);
    this.#kept.clear();
  }

  /** The newest one that is kept will do while nothing was committed since. */
  #current(): Snapshot {
    const view = this.#engine.view();
    const newest = [...this.#kept.values()].at(-1);
    if (newest !== undefined && newest.view.commitNumber === view.commitNumber) {
      view.release();
      return newest;
    }
    const snapshot: Snapshot = { time: this.#clock.tick(), view, takenAt: this.#now(), holders: 1 };
    this.#kept.set(snapshot.time.toString(), snapshot);
    return snapshot;
  }
}

function letGo(snapshot: Snapshot): void {
  snapshot.holders -= 1;
  if (snapshot.holders === 0) snapshot.view.release();
}
