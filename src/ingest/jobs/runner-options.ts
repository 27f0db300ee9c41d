/** How a server runs jobs. Times in milliseconds. */
export interface RunnerOptions {
  /** Items that run at once, of short documents four for one. */
  readonly slots: number;
  /** Documents whose payload is smaller are short. */
  readonly lightBytes: number;
  /** A worker that does not renew in this time is taken for dead, and its items run elsewhere. */
  readonly leaseMs: number;
  /** How often a server with nothing to do looks whether another one queued something. */
  readonly pollMs: number;
  /** Payloads in memory, the last claim not counted. */
  readonly maxPayloadBytes: number;
  /** What one claim may bring, one item at least. */
  readonly maxBatchBytes: number;
  readonly maxBatchItems: number;
  /** In hand, those included that only wait for an index. */
  readonly maxHeld: number;
  /** How long a stop waits for what runs. */
  readonly drainMs: number;
  readonly sweepMs: number;
  /** How often long items say how far they are. */
  readonly progressMs: number;
  /** How long items rely on it that the key behind their job was good. */
  readonly keyCheckMs: number;
  /** How often cancelled jobs are looked at that dead servers hold up. */
  readonly cancelSweepMs: number;
}

const MIB = 1024 * 1024;

export const RUNNER_DEFAULTS: RunnerOptions = {
  slots: 16,
  lightBytes: 16 * 1024,
  leaseMs: 60_000,
  pollMs: 1_000,
  maxPayloadBytes: 32 * MIB,
  maxBatchBytes: 4 * MIB,
  maxBatchItems: 128,
  maxHeld: 512,
  drainMs: 10_000,
  sweepMs: 30_000,
  progressMs: 500,
  keyCheckMs: 1_000,
  cancelSweepMs: 2_000,
};
