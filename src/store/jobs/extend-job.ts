import type { Clock } from '../clock.js';
import type { Database } from '../database.js';
import { parseObjectId } from '../object-id.js';
import { inTransaction } from '../transaction.js';
import type { JobWork } from './job-store.js';
import { isInline, newItemRow } from './new-item-row.js';
import { announceItems } from './turns.js';

/** Jobs that find out what there is to do while they run. */
export function jobExtender(database: Database, clock: Clock): Pick<JobWork, 'extendJob' | 'extendedTo'> {
  return {
    async extendedTo(_operator, id) {
      const jobId = parseObjectId(id);
      const job = jobId && (await database.jobs.findOne({ _id: jobId }, { projection: { extended_to: 1 } }));
      return job?.extended_to ?? null;
    },

    async extendJob(_operator, id, { from, to, items }) {
      const jobId = parseObjectId(id);
      if (jobId === null) return false;
      if (!items.every(({ payload, document, title }) => isInline(payload) && (document ?? title) === undefined))
        throw new TypeError('A running job takes further items with small payloads and no documents only');
      return await inTransaction(database, async (session) => {
        const now = clock();
        const job = await database.jobs.findOneAndUpdate(
          { _id: jobId, runnable: true, extended_to: from ?? { $exists: false } },
          { $set: { extended_to: to }, $inc: { total: items.length } },
          { session, returnDocument: 'before' },
        );
        if (job === null) return false;
        const rows = items.map((item, index) => newItemRow(jobId, job.total + index, item, new Map(), now));
        if (rows.length > 0) await database.jobItems.insertMany(rows, { session, ordered: false });
        await announceItems(database, job, now, session);
        return true;
      });
    },
  };
}
