import { Binary, Long, Timestamp } from 'bson';
import type { Doc } from '../bson/values.js';

/**
 * The logical time that replies carry (`operationTime`, `$clusterTime`): seconds since 1970 and a counter within the
 * second. It never goes back, also not behind a time that a client brings from before a restart.
 */
export class ClusterClock {
  #seconds = 0;
  #increment = 0;
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** A time later than all before. */
  tick(): Timestamp {
    const seconds = Math.floor(this.#now() / 1000);
    if (seconds > this.#seconds) {
      this.#seconds = seconds;
      this.#increment = 1;
    } else {
      this.#increment += 1;
    }
    return this.current;
  }

  get current(): Timestamp {
    return new Timestamp({ t: this.#seconds, i: this.#increment });
  }

  /** Takes over a later time that a client has seen; one from the far future is not believed. */
  advance(seen: Timestamp): void {
    const seconds = seen.getHighBitsUnsigned();
    const increment = seen.getLowBitsUnsigned();
    if (seconds > Math.floor(this.#now() / 1000) + FUTURE_SECONDS_MAX) return;
    if (seconds > this.#seconds || (seconds === this.#seconds && increment > this.#increment)) {
      this.#seconds = seconds;
      this.#increment = increment;
    }
  }
}

const FUTURE_SECONDS_MAX = 3600;

/** Without keys there is nothing to sign with: as a replica set without authentication answers. */
export function clusterTimeDocument(clusterTime: Timestamp): Doc {
  return { clusterTime, signature: { hash: new Binary(new Uint8Array(20), 0), keyId: Long.ZERO } };
}
