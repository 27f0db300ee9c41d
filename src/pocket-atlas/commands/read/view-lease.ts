import type { Engine, ReadView } from '../../storage/engine.js';
import type { HeldSnapshot } from './snapshots.js';

/**
 * A view for as long as a result is read, which can be given back between two batches: a held view pins pages of the file.
 * Who reads on afterwards does so over a newer view, as cursors of servers do that read no snapshot. Readers say how they
 * let go of the old one.
 */
export class ViewLease {
  readonly #take: () => ReadView;
  readonly #giveBack: (view: ReadView) => void;
  readonly #isOurs: boolean;
  readonly #now: () => number;
  readonly #suspenders = new Set<() => void>();
  #view: ReadView | undefined;
  #since: number | undefined;

  private constructor(
    take: () => ReadView,
    isOurs: boolean,
    now: () => number,
    giveBack = (view: ReadView): void => view.release(),
  ) {
    this.#take = take;
    this.#giveBack = giveBack;
    this.#isOurs = isOurs;
    this.#now = now;
  }

  static ofEngine(engine: Engine, now: () => number): ViewLease {
    return new ViewLease(() => engine.view(), true, now);
  }

  /** Over one moment: who suspends it has read to the end, or copied the rest. */
  static ofSnapshot(snapshot: HeldSnapshot, now: () => number): ViewLease {
    const lease = new ViewLease(
      () => snapshot.view,
      true,
      now,
      () => snapshot.release(),
    );
    // Held from the start, so that it is given back also where nobody reads it.
    lease.#view = snapshot.view;
    lease.#since = now();
    return lease;
  }

  /** Over a transaction: its view stays, whatever is asked. */
  static ofTransaction(transaction: ReadView): ViewLease {
    return new ViewLease(
      () => transaction,
      false,
      () => 0,
    );
  }

  /** Taken when there is none. */
  get view(): ReadView {
    if (this.#view === undefined) {
      this.#view = this.#take();
      this.#since = this.#now();
    }
    return this.#view;
  }

  /** When the view was taken, ms since 1970; undefined when none is held that could be given back. */
  get heldSince(): number | undefined {
    return this.#isOurs ? this.#since : undefined;
  }

  /** `suspender` is called before the view goes: it must not read from it later. Returns how to withdraw it. */
  onSuspend(suspender: () => void): () => void {
    this.#suspenders.add(suspender);
    return () => this.#suspenders.delete(suspender);
  }

  /** Gives the view back. Not while a reader is in the middle of a step. */
  suspend(): void {
    if (!this.#isOurs || this.#view === undefined) return;
    for (const suspender of this.#suspenders) suspender();
    const view = this.#view;
    this.#view = undefined;
    this.#since = undefined;
    this.#giveBack(view);
  }
}
