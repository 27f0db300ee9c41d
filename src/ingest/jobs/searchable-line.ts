import type { Scope } from '../../store/scope.js';
import type { Store } from '../../store/store.js';

const LONGEST_WAIT_MS = 10_000;
const PAUSE_MS = 100;

interface Waiting {
  readonly scope: Scope;
  readonly documentId: string;
  readonly version: number;
  readonly deadline: number;
  readonly done: () => void;
}

/**
 * Items that end when search can find their document, all waiting in one line: indexes follow the order of commits, so
 * once the newest is found the others mostly are too, and one question at a time does for any number of them.
 */
export class SearchableLine {
  readonly #store: Pick<Store, 'waitUntilSearchable'>;
  #waiting: Waiting[] = [];
  #isAsking = false;

  constructor(store: Pick<Store, 'waitUntilSearchable'>) {
    this.#store = store;
  }

  /** Resolves when the version is searchable, cannot become so any more, or ten seconds have passed. Never fails. */
  wait(scope: Scope, documentId: string, version: number): Promise<void> {
    return new Promise((done) => {
      this.#waiting.push({ scope, documentId, version, deadline: performance.now() + LONGEST_WAIT_MS, done });
      if (!this.#isAsking) void this.#ask();
    });
  }

  async #ask(): Promise<void> {
    this.#isAsking = true;
    while (this.#waiting.length > 0) {
      const asked = this.#waiting.splice(0);
      const newest = asked[asked.length - 1] as Waiting;
      await this.#isSearchable(newest, Math.max(0, (asked[0] as Waiting).deadline - performance.now()));
      const left: Waiting[] = [];
      for (const one of asked)
        if ((await this.#isSearchable(one, 0)) || performance.now() >= one.deadline) one.done();
        else left.push(one);
      this.#waiting.unshift(...left);
      if (left.length > 0) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    this.#isAsking = false;
  }

  async #isSearchable({ scope, documentId, version }: Waiting, timeoutMs: number): Promise<boolean> {
    try {
      return await this.#store.waitUntilSearchable(scope, documentId, version, { timeoutMs });
    } catch {
      // Asked again until its time is up: the document is stored, whatever an index says.
      return false;
    }
  }
}
