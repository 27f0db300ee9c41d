/**
 * Delays what would pull the ground from under a running search: slots that are used again, files that are closed. What is
 * deferred runs when every search that had begun before is over.
 */
export class ReadEpochs {
  readonly #readers = new Set<number>();
  readonly #deferred: { readonly epoch: number; readonly run: () => void }[] = [];
  #epoch = 0;

  /** Returns the number to end with. */
  begin(): number {
    const reader = ++this.#epoch;
    this.#readers.add(reader);
    return reader;
  }

  end(reader: number): void {
    this.#readers.delete(reader);
    this.#runDue();
  }

  defer(run: () => void): void {
    this.#deferred.push({ epoch: this.#epoch, run });
    this.#runDue();
  }

  #runDue(): void {
    // Readers are numbered as they begin, and a Set keeps their order.
    const [oldest = Number.POSITIVE_INFINITY] = this.#readers;
    while (this.#deferred.length > 0 && (this.#deferred[0] as { epoch: number }).epoch < oldest) {
      this.#deferred.shift()?.run();
    }
  }
}
