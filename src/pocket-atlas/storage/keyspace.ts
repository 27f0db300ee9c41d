import { seal, unseal } from './checksum.js';
import type { Committer } from './committer.js';
import type { Keyspace } from './engine.js';
import type { Environment } from './environment.js';
import type { Operation } from './layout.js';

/** LMDB's limit of 1 978 bytes less the name. */
export const KEYSPACE_KEY_BYTES_MAX = 1700;
const NAME_BYTES_MAX = 200;

/** A part of the table `side`: its keys begin with the keyspace's name. */
export class PrefixedKeyspace implements Keyspace {
  private readonly prefix: Buffer;

  constructor(
    private readonly environment: Environment,
    private readonly committer: Committer,
    private readonly name: string,
  ) {
    const bytes = Buffer.from(name);
    if (bytes.length === 0 || bytes.length > NAME_BYTES_MAX) {
      throw new RangeError(`A keyspace's name has 1 to ${NAME_BYTES_MAX} bytes, got ${bytes.length}`);
    }
    this.prefix = Buffer.concat([Buffer.of(bytes.length), bytes]);
  }

  get(key: Uint8Array): Uint8Array | undefined {
    const whole = this.wholeKey(key);
    const value = this.environment.get('side', whole);
    return value === undefined ? undefined : unseal(whole, value, () => this.nameOf(key));
  }

  /** Reads in pieces: a change that is committed meanwhile may show. */
  *range(from: Uint8Array, to: Uint8Array): Iterable<{ key: Uint8Array; value: Uint8Array }> {
    for (const { key: whole, value } of this.environment.range('side', this.wholeKey(from), this.wholeKey(to))) {
      const key = whole.subarray(this.prefix.length);
      yield { key, value: unseal(whole, value, () => this.nameOf(key)) };
    }
  }

  commit(changes: readonly { key: Uint8Array; value: Uint8Array | null }[]): Promise<void> {
    const operations = changes.map(({ key, value }): Operation => {
      const whole = this.wholeKey(key);
      if (key.length > KEYSPACE_KEY_BYTES_MAX) {
        throw new RangeError(`A keyspace's key has at most ${KEYSPACE_KEY_BYTES_MAX} bytes, got ${key.length}`);
      }
      return { table: 'side', key: whole, value: value && seal(whole, value) };
    });
    return this.committer.submit({
      prepare: (state) => {
        for (const operation of operations) state.add(operation);
      },
    });
  }

  private wholeKey(key: Uint8Array): Buffer {
    return Buffer.concat([this.prefix, key]);
  }

  private nameOf(key: Uint8Array): string {
    return `key ${Buffer.from(key).toString('hex')} of keyspace ${this.name}`;
  }
}
