import type { Clock } from '../clock.js';
import type { Database } from '../database.js';
import { parseObjectId } from '../object-id.js';
import type { Filterable } from '../records.js';
import type { Sealer } from '../sealing.js';
import { jobCanceller } from './cancel-job.js';
import { itemClaimer } from './claim-items.js';
import { jobCreator } from './create-job.js';
import { itemEnder } from './end-items.js';
import { jobExtender } from './extend-job.js';
import { JOB_QUOTA, type JobQuota } from './job-limits.js';
import type { JobStore } from './job-store.js';
import { progressNoter } from './note-progress.js';
import { storedNote } from './note-stored.js';
import { readPayloads } from './payloads.js';
import { jobReads } from './read-jobs.js';
import { leaseReleaser } from './release-lease.js';
import { jobRetrier } from './retry-job.js';
import { jobSweeper } from './sweep-jobs.js';

/** Jobs, their items and what those are run with. */
export function openJobStore(
  database: Database,
  { clock, sealer, filterable, quota }: { clock: Clock; sealer: Sealer; filterable: Filterable; quota?: JobQuota },
): JobStore {
  return {
    ...jobReads(database, sealer, clock),
    ...jobCreator(database, { clock, filterable, quota: quota ?? JOB_QUOTA }),
    ...jobCanceller(database, clock),
    ...jobRetrier(database, clock),
    ...itemClaimer(database, clock),
    ...leaseReleaser(database, clock),
    ...itemEnder(database, clock),
    ...progressNoter(database),
    ...jobExtender(database, clock),
    ...jobSweeper(database, clock),
    noteStored: (_operator, held) => storedNote(database, held),
    readPayloads: (_operator, itemIds) => readPayloads(database, itemIds),
    async unfinishedItems(_operator, jobId, position) {
      const id = parseObjectId(jobId);
      const others = { state: { $in: ['QUEUED', 'RUNNING'] as const }, position: { $ne: position } };
      return id === null ? 0 : await database.jobItems.countDocuments({ job_id: id, ...others });
    },
    async isPrincipalValid(_operator, { owner, apiKeyId }) {
      const keyId = apiKeyId === null ? null : parseObjectId(apiKeyId);
      if (keyId === null || owner === null) return true;
      const key = await database.apiKeys.findOne({ _id: keyId, owner });
      return key !== null && (key.expires_at === null || key.expires_at > clock());
    },
  };
}
