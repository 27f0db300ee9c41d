import { createHash } from 'node:crypto';
import { isSealed, seal, unseal } from './checksum.js';
import type { CommitState } from './commit-state.js';
import type { Environment } from './environment.js';

/** A session, and with it the memory of its writes, ends after this. Source: MongoDB manual, localLogicalSessionTimeoutMinutes. */
const KEPT_MS = 30 * 60_000;
const REPLIES_MAX = 10_000;
const REPLY_BYTES_MAX = 32 * 1024 * 1024;
const KEY_BYTES_MAX = 500;
const TIME_BYTES = 8;

interface Kept {
  readonly at: number;
  readonly reply: Uint8Array;
}

/** Replies of retryable writes, so that a repeated write is answered and not done again. Oldest first, bounded. */
export class RetryableReplies {
  private readonly kept = new Map<string, Kept>();
  private bytes = 0;

  constructor(
    environment: Environment,
    private readonly now: () => number,
  ) {
    const stored: (Kept & { key: string })[] = [];
    for (const { key, value } of environment.range('retryable', Buffer.of(0), undefined)) {
      // A damaged reply is as good as none: the write was done, a repeat then reports what it finds.
      if (!isSealed(key, value)) continue;
      const bytes = Buffer.from(unseal(key, value, () => 'a retryable reply'));
      stored.push({
        key: Buffer.from(key).toString('latin1'),
        at: bytes.readDoubleLE(0),
        reply: bytes.subarray(TIME_BYTES),
      });
    }
    stored.sort((a, b) => a.at - b.at);
    for (const { key, at, reply } of stored) this.keep(key, { at, reply });
  }

  get(key: string): Uint8Array | undefined {
    const kept = this.kept.get(tableKey(key).toString('latin1'));
    return kept !== undefined && this.now() - kept.at <= KEPT_MS ? kept.reply : undefined;
  }

  /** Adds the replies to a commit, and takes out as many old ones as are too much. Returns what to do once it is durable. */
  prepare(state: CommitState, replies: ReadonlyMap<string, Uint8Array>): () => void {
    if (replies.size === 0) return () => {};
    const at = this.now();
    const added = new Map<string, Kept>();
    for (const [name, reply] of replies) {
      const key = tableKey(name);
      const bytes = Buffer.allocUnsafe(TIME_BYTES + reply.length);
      bytes.writeDoubleLE(at);
      bytes.set(reply, TIME_BYTES);
      state.add({ table: 'retryable', key, value: seal(key, bytes) });
      added.set(key.toString('latin1'), { at, reply });
    }
    const evicted = this.tooOld(at, added);
    for (const key of evicted) state.add({ table: 'retryable', key: Buffer.from(key, 'latin1'), value: null });
    return () => {
      for (const key of evicted) this.drop(key);
      for (const [key, kept] of added) this.keep(key, kept);
    };
  }

  private tooOld(now: number, added: ReadonlyMap<string, Kept>): string[] {
    let count = this.kept.size + added.size;
    let bytes = this.bytes;
    for (const { reply } of added.values()) bytes += reply.length;
    const evicted: string[] = [];
    for (const [key, { at, reply }] of this.kept) {
      if (now - at <= KEPT_MS && count <= REPLIES_MAX && bytes <= REPLY_BYTES_MAX) break;
      if (added.has(key)) continue;
      evicted.push(key);
      count--;
      bytes -= reply.length;
    }
    return evicted;
  }

  private keep(key: string, kept: Kept): void {
    this.drop(key);
    this.kept.set(key, kept);
    this.bytes += kept.reply.length;
  }

  private drop(key: string): void {
    const kept = this.kept.get(key);
    if (kept === undefined) return;
    this.kept.delete(key);
    this.bytes -= kept.reply.length;
  }
}

function tableKey(key: string): Buffer {
  const bytes = Buffer.from(key);
  return bytes.length <= KEY_BYTES_MAX && bytes.length > 0 ? bytes : createHash('sha256').update(bytes).digest();
}
