import { seal, unseal } from './checksum.js';
import type { CommitState } from './commit-state.js';
import type { Committer } from './committer.js';
import type { Change, CommitNumber, Oplog } from './engine.js';
import type { Environment } from './environment.js';
import { commitKey, readCommitKey, readRecordId } from './layout.js';

/** What is kept for consumers that nobody has declared yet. */
const UNCLAIMED_COMMITS_MAX = 10_000;
/** Bytes that are kept even for the slowest consumer: behind that it has to rebuild. */
const LOG_BYTES_MAX = 128 * 1024 * 1024;
/** Trimming waits for this many commits, and takes as many at a time. */
const TRIM_COMMITS = 1000;
const TRIM_BYTES = 4 * 1024 * 1024;

const TIME_BYTES = 8;
const CHANGE_BYTES = 11;
const KINDS: readonly Change['kind'][] = ['put', 'remove', 'dropCollection'];
const OLDEST_KEY = Buffer.from('oplog oldest');
const CONSUMER_PREFIX = 'oplog consumer ';

/** The committed changes in commit order, until every consumer has them. */
export class CommitLog implements Oplog {
  private readonly listeners = new Set<(latest: CommitNumber) => void>();
  private readonly consumers = new Map<string, CommitNumber>();
  private oldestKept: CommitNumber;
  private bytes = 0;
  private trimming = false;

  constructor(
    private readonly environment: Environment,
    private readonly committer: Committer,
    private readonly latestCommit: () => CommitNumber,
    /** Errors of listeners and of trimming have no caller to go to. */
    private readonly onError: (error: unknown) => void,
  ) {
    this.oldestKept = this.readNumber(OLDEST_KEY) ?? 1;
    const consumers = environment.range('meta', Buffer.from(CONSUMER_PREFIX), Buffer.from(`${CONSUMER_PREFIX}\uffff`));
    for (const { key } of consumers) {
      this.consumers.set(Buffer.from(key).toString().slice(CONSUMER_PREFIX.length), this.readNumber(key) ?? 0);
    }
    for (const { value } of environment.range('oplog', commitKey(0), undefined)) this.bytes += value.length;
  }

  get latest(): CommitNumber {
    return this.latestCommit();
  }

  get oldest(): CommitNumber {
    return this.oldestKept;
  }

  read(after: CommitNumber, limit: number): readonly Change[] {
    const changes: Change[] = [];
    const { latest } = this;
    for (const { key, value } of this.environment.range('oplog', commitKey(after + 1), undefined)) {
      const commitNumber = readCommitKey(key);
      // What LMDB shows before its commit is acknowledged comes with the next read.
      if (commitNumber > latest || changes.length >= limit) break;
      decodeChanges(
        commitNumber,
        unseal(key, value, () => `commit ${commitNumber} of the oplog`),
        changes,
      );
    }
    return changes;
  }

  subscribe(listener: (latest: CommitNumber) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  checkpoint(consumer: string, upTo: CommitNumber): void {
    const known = this.consumers.has(consumer);
    this.consumers.set(consumer, upTo);
    if (known) this.trimSoon();
    else this.background({ prepare: (state) => state.add(numberOperation(consumerKey(consumer), upTo)) });
  }

  forget(consumer: string): void {
    if (!this.consumers.delete(consumer)) return;
    this.background({ prepare: (state) => state.add({ table: 'meta', key: consumerKey(consumer), value: null }) });
    this.trimSoon();
  }

  /** Adds one commit's changes to the group. Returns the bytes that it takes. */
  append(state: CommitState, changes: readonly Omit<Change, 'commitNumber' | 'at'>[], at: number): number {
    if (changes.length === 0) return 0;
    const key = commitKey(state.commitNumber);
    const value = seal(key, encodeChanges(changes, at));
    state.add({ table: 'oplog', key, value });
    return value.length;
  }

  /** Tells listeners of a durable commit. */
  committed(bytes: number): void {
    this.bytes += bytes;
    const { latest } = this;
    for (const listener of this.listeners) {
      try {
        listener(latest);
      } catch (error) {
        this.onError(error);
      }
    }
    this.trimSoon();
  }

  /** The last commit that nobody needs, or that there is no room for. */
  private trimmable(): CommitNumber {
    const claimed = Math.min(...this.consumers.values());
    const unneeded = this.consumers.size > 0 ? claimed : this.latest - UNCLAIMED_COMMITS_MAX;
    return this.bytes > LOG_BYTES_MAX ? Math.max(unneeded, this.oldestKept + TRIM_COMMITS) : unneeded;
  }

  private trimSoon(): void {
    if (this.trimming || this.trimmable() - this.oldestKept < TRIM_COMMITS) return;
    this.trimming = true;
    this.trim()
      .catch(this.onError)
      .finally(() => {
        this.trimming = false;
      });
  }

  private async trim(): Promise<void> {
    while (this.trimmable() - this.oldestKept >= TRIM_COMMITS) {
      const { keys, bytes, next } = this.nextTrim();
      await this.committer.submit({
        prepare: (state) => {
          for (const key of keys) state.add({ table: 'oplog', key, value: null });
          state.add(numberOperation(OLDEST_KEY, next));
          for (const [consumer, upTo] of this.consumers) state.add(numberOperation(consumerKey(consumer), upTo));
        },
        done: () => {
          this.oldestKept = next;
          this.bytes -= bytes;
        },
      });
    }
  }

  /** The oldest commits, as many as one slice takes. */
  private nextTrim(): { keys: Uint8Array[]; bytes: number; next: CommitNumber } {
    const keys: Uint8Array[] = [];
    let bytes = 0;
    const end = Math.min(this.trimmable() + 1, this.oldestKept + TRIM_COMMITS);
    for (const { key, value } of this.environment.range('oplog', commitKey(this.oldestKept), commitKey(end))) {
      keys.push(key);
      bytes += value.length;
      if (bytes > TRIM_BYTES) return { keys, bytes, next: readCommitKey(key) + 1 };
    }
    return { keys, bytes, next: end };
  }

  private background(job: { prepare: (state: CommitState) => void }): void {
    this.committer.submit(job).catch(this.onError);
  }

  private readNumber(key: Uint8Array): number | undefined {
    const value = this.environment.get('meta', key);
    if (value === undefined) return undefined;
    const bytes = unseal(key, value, () => 'a checkpoint of the oplog');
    return Buffer.from(bytes).readDoubleLE(0);
  }
}

function consumerKey(consumer: string): Buffer {
  return Buffer.from(CONSUMER_PREFIX + consumer);
}

function numberOperation(key: Uint8Array, value: number) {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeDoubleLE(value);
  return { table: 'meta', key, value: seal(key, bytes) } as const;
}

function encodeChanges(changes: readonly Omit<Change, 'commitNumber' | 'at'>[], at: number): Uint8Array {
  const bytes = Buffer.allocUnsafe(TIME_BYTES + changes.length * CHANGE_BYTES);
  bytes.writeDoubleBE(at);
  let position = TIME_BYTES;
  for (const { kind, collectionId, recordId } of changes) {
    bytes[position] = KINDS.indexOf(kind);
    bytes.writeUInt32BE(collectionId, position + 1);
    bytes.writeUIntBE(recordId, position + 5, 6);
    position += CHANGE_BYTES;
  }
  return bytes;
}

function decodeChanges(commitNumber: CommitNumber, bytes: Uint8Array, into: Change[]): void {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const at = buffer.readDoubleBE(0);
  for (let position = TIME_BYTES; position < buffer.length; position += CHANGE_BYTES) {
    into.push({
      commitNumber,
      collectionId: buffer.readUInt32BE(position + 1),
      kind: KINDS[buffer[position]!]!,
      recordId: readRecordId(buffer.subarray(position, position + CHANGE_BYTES)),
      at,
    });
  }
}
