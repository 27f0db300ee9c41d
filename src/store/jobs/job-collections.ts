import type { IndexDescription } from 'mongodb';
import { JOB_EXPIRY_GRACE_SECONDS } from './job-limits.js';

/** The collections of jobs with their indexes. */
export const JOB_COLLECTIONS: Readonly<Record<string, readonly IndexDescription[]>> = {
  jobs: [
    { key: { owner: 1, _id: -1 }, name: 'owner' },
    { key: { owner: 1, runnable: 1, served_at: 1 }, name: 'owner_runnable' },
    { key: { owner: 1, finished_at: 1 }, name: 'owner_unfinished' },
    { key: { filling_at: 1 }, name: 'filling', sparse: true },
    { key: { cancel_requested_at: 1 }, name: 'cancelling', sparse: true },
    { key: { expires_at: 1 }, name: 'expiry', expireAfterSeconds: JOB_EXPIRY_GRACE_SECONDS },
  ],
  job_items: [
    { key: { job_id: 1, claimable_at: 1 }, name: 'job_claimable' },
    { key: { job_id: 1, position: 1 }, name: 'job_position' },
    { key: { job_id: 1, state: 1, position: 1 }, name: 'job_state' },
  ],
  job_payloads: [
    { key: { item_id: 1, part: 1 }, name: 'item_part', unique: true },
    { key: { job_id: 1 }, name: 'job' },
  ],
  job_turns: [{ key: { served_at: 1 }, name: 'served' }],
};
