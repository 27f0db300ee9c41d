const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Ended jobs are kept so long, with their items and what the failed ones are run with. */
export const JOB_RETENTION_MS = 7 * DAY_MS;
/**
 * The database's own expiry of job rows, later by so much: the sweep comes first, because it takes items and payloads along,
 * which have no expiry of their own (an index on it would cost every item of every job).
 */
export const JOB_EXPIRY_GRACE_SECONDS = (30 * DAY_MS) / 1_000;

/** A job that got no further item for so long is given up: whoever filled it is gone. */
export const FILLING_LEASE_MS = 10 * MINUTE_MS;

/** What one owner may have unfinished at once. Whoever creates several jobs at the same moment may pass it a little. */
export interface JobQuota {
  readonly jobs: number;
  readonly items: number;
  readonly payloadBytes: number;
}

export const JOB_QUOTA: JobQuota = { jobs: 1_000, items: 1_000_000, payloadBytes: 32 * 1024 ** 3 };

/** Up to here a payload lies with its item: rows of its own would be most of what a short document costs. */
export const INLINE_PAYLOAD_BYTES = 4 * 1024;

/** Rows that one transaction changes: of ended, cancelled or retried items. */
export const ITEMS_PER_TRANSACTION = 500;
