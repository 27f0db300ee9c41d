import { CommandError } from '../../errors.js';
import type { Plan } from '../../query/query.js';
import type { CollectionInfo, RecordId, StoredRecord } from '../../storage/engine.js';
import { proposals } from './matching.js';
import type { ViewLease } from './view-lease.js';

/** Record ids that a reader notes down when its view goes: 8 bytes each. */
const NOTED_IDS_MAX = 4_000_000;

/**
 * Reads what a plan proposes, over one view or, when that is given back in between, over several: a scan goes on behind
 * the last record, an index notes down the records that are still to come.
 */
export class RecordReader {
  readonly #lease: ViewLease;
  readonly #plan: Plan;
  readonly #reverse: boolean;
  readonly #withdraw: () => void;
  #collection: CollectionInfo;
  #open: Iterator<StoredRecord, void, void> | undefined;
  #last: RecordId | undefined;
  /** Of an index plan, once it was suspended. */
  #noted: RecordId[] | undefined;
  #next = 0;
  #isAtEnd = false;

  constructor(lease: ViewLease, collection: CollectionInfo, plan: Plan, options: { readonly reverse?: boolean } = {}) {
    this.#lease = lease;
    this.#collection = collection;
    this.#plan = plan;
    this.#reverse = options.reverse === true;
    this.#withdraw = lease.onSuspend(() => this.#suspend());
  }

  next(): StoredRecord | undefined {
    if (this.#isAtEnd) return undefined;
    if (this.#noted !== undefined) return this.#nextNoted(this.#noted);
    this.#open ??= this.#reopen();
    const step = this.#open.next();
    if (step.done === true) {
      this.close();
      return undefined;
    }
    this.#last = step.value.recordId;
    return step.value;
  }

  close(): void {
    this.#isAtEnd = true;
    this.#withdraw();
    this.#open?.return?.();
    this.#open = undefined;
  }

  #reopen(): Iterator<StoredRecord, void, void> {
    const { view } = this.#lease;
    this.#collection = this.#current();
    if (this.#plan.kind === 'scan') {
      const after = this.#last === undefined ? {} : { after: this.#last };
      return view.scan(this.#collection, { reverse: this.#reverse, ...after })[Symbol.iterator]();
    }
    return proposals(view, this.#collection, this.#plan);
  }

  #nextNoted(noted: readonly RecordId[]): StoredRecord | undefined {
    const { view } = this.#lease;
    if (this.#next === 0) this.#collection = this.#current();
    while (this.#next < noted.length) {
      const recordId = noted[this.#next]!;
      this.#next += 1;
      const bytes = view.get(this.#collection, recordId);
      if (bytes !== undefined) return { recordId, bytes };
    }
    this.close();
    return undefined;
  }

  #suspend(): void {
    if (this.#open === undefined) return;
    if (this.#plan.kind !== 'scan') {
      const noted: RecordId[] = [];
      for (let step = this.#open.next(); step.done !== true; step = this.#open.next()) {
        noted.push(step.value.recordId);
        if (noted.length > NOTED_IDS_MAX) {
          throw new CommandError(292, `A cursor over an index has more than ${NOTED_IDS_MAX} records to come`);
        }
      }
      this.#noted = noted;
      this.#next = 0;
    }
    this.#open.return?.();
    this.#open = undefined;
  }

  /** @throws CommandError 175 when the collection was dropped in the meantime. */
  #current(): CollectionInfo {
    const { id, db, name } = this.#collection;
    const found = this.#lease.view.collection(db, name);
    if (found === undefined || found.id !== id) {
      throw new CommandError(175, `collection dropped. ${db}.${name}`);
    }
    return found;
  }
}
