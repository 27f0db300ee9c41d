import type { ObjectId } from 'mongodb';
import type { Clock } from '../clock.js';
import type { Database } from '../database.js';
import { cancelWaiting } from './cancel-job.js';
import { FILLING_LEASE_MS } from './job-limits.js';
import type { JobWork } from './job-store.js';
import { removeJob } from './remove-job.js';

/** Jobs that one sweep looks at per kind; the next one goes on. */
const MAX_PER_SWEEP = 100;

/** Everything here is repeatable, so any number of servers may sweep at once. */
export function jobSweeper(database: Database, clock: Clock): Pick<JobWork, 'sweepJobs' | 'sweepCancelled'> {
  const each = async (filter: object, finish: (id: ObjectId) => Promise<unknown>): Promise<void> => {
    const rows = await database.jobs.find(filter).project<{ _id: ObjectId }>({ _id: 1 }).limit(MAX_PER_SWEEP).toArray();
    for (const { _id } of rows) await finish(_id);
  };
  return {
    async sweepCancelled() {
      await each({ cancel_requested_at: { $lte: clock() } }, (id) => cancelWaiting(database, id, clock));
    },
    async sweepJobs(_operator) {
      const now = clock();
      const abandonedBefore = new Date(now.getTime() - FILLING_LEASE_MS);
      await each({ filling_at: { $lt: abandonedBefore } }, (id) => removeJob(database, id));
      await this.sweepCancelled(_operator);
      await each({ expires_at: { $lte: now } }, (id) => removeJob(database, id));
    },
  };
}
