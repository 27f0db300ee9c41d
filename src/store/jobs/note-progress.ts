import type { AnyBulkWriteOperation } from 'mongodb';
import type { Database } from '../database.js';
import { parseObjectId } from '../object-id.js';
import type { JobProgress } from './job-records.js';
import type { JobRow } from './job-rows.js';
import type { JobWork } from './job-store.js';

/** Puts how far long items are on their jobs, for whoever watches from any server. A job that has ended has none. */
export function progressNoter(database: Database): Pick<JobWork, 'noteProgress'> {
  return {
    async noteProgress(_operator, notes) {
      const updates = [...notes].flatMap(([jobId, progress]) => updateOf(jobId, progress));
      if (updates.length > 0) await database.jobs.bulkWrite(updates, { ordered: false });
    },
  };
}

function updateOf(jobId: string, progress: JobProgress | null): AnyBulkWriteOperation<JobRow>[] {
  const _id = parseObjectId(jobId);
  if (_id === null) return [];
  const update = progress === null ? { $unset: { progress: 1 as const } } : { $set: { progress } };
  return [{ updateOne: { filter: { _id, finished_at: null }, update } }];
}
