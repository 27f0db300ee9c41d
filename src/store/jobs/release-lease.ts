import type { ObjectId } from 'mongodb';
import type { Clock } from '../clock.js';
import type { Database } from '../database.js';
import { inTransaction } from '../transaction.js';
import type { JobItemRow } from './job-rows.js';
import type { JobWork } from './job-store.js';
import { announceItems } from './turns.js';

/**
 * Puts back what a claim leased whose answer was lost: the server does not know what it has, so it would renew nothing and
 * run nothing until the lease ends. As if it had not been claimed; a lease that holds nothing is none.
 */
export function leaseReleaser(database: Database, clock: Clock): Pick<JobWork, 'releaseLease'> {
  return {
    async releaseLease(_operator, lease) {
      for (const jobId of await jobsWith(database, lease))
        await inTransaction(database, async (session) => {
          const now = clock();
          const put = await database.jobItems.updateMany(
            { job_id: jobId, state: 'RUNNING', lease },
            { $set: { state: 'QUEUED', claimable_at: now }, $inc: { attempts: -1 }, $unset: { lease: 1 } },
            { session },
          );
          const job = put.matchedCount > 0 && (await database.jobs.findOne({ _id: jobId }, { session }));
          if (job) await announceItems(database, job, now, session);
        });
    },
  };
}

/** Leases have no index, which every claim would pay for; unfinished jobs are few beside their items. */
async function jobsWith(database: Database, lease: string): Promise<ObjectId[]> {
  const unfinished = await database.jobs.find({ finished_at: null }).project<{ _id: ObjectId }>({ _id: 1 }).toArray();
  const leased = await database.jobItems
    .find({ job_id: { $in: unfinished.map(({ _id }) => _id) }, state: 'RUNNING', lease })
    .project<Pick<JobItemRow, 'job_id'>>({ job_id: 1 })
    .toArray();
  return [...new Map(leased.map(({ job_id }) => [job_id.toHexString(), job_id])).values()];
}
