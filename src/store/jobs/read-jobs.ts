import { type Filter, ObjectId } from 'mongodb';
import type { Clock } from '../clock.js';
import type { Database } from '../database.js';
import { listingName, pageOf, positionAfter } from '../listing-cursor.js';
import { parseObjectId } from '../object-id.js';
import type { Sealer } from '../sealing.js';
import type { JobItemState, JobState } from './job-records.js';
import { jobItemRecord, jobRecord } from './job-row-records.js';
import type { JobItemRow, JobRow } from './job-rows.js';
import type { JobReads, JobViewer } from './job-store.js';
import { visibleJobs } from './job-visibility.js';

export function jobReads(database: Database, sealer: Sealer, clock: Clock): JobReads {
  const jobsOf = (viewer: JobViewer, states?: readonly JobState[]): Filter<JobRow> => ({
    $and: [visibleJobs(viewer, clock()), ...(states ? [{ state: { $in: [...states] } }] : [])],
  });
  const rowById = async (viewer: JobViewer, id: string): Promise<JobRow | null> => {
    const jobId = parseObjectId(id);
    return jobId && (await database.jobs.findOne({ $and: [{ _id: jobId }, jobsOf(viewer)] }));
  };
  const itemsOf = (job: JobRow, states?: readonly JobItemState[]): Filter<JobItemRow> => ({
    job_id: job._id,
    ...(states && { state: { $in: [...states] } }),
  });

  return {
    async job(viewer, id) {
      const row = await rowById(viewer, id);
      return row && jobRecord(row);
    },

    async listJobs(viewer, { states, first, after }) {
      const listing = listingName('jobs', viewer.scope, { states: states ?? null, operator: viewer.operator !== null });
      const position = positionAfter(sealer, listing, after) as string | undefined;
      const before = position === undefined ? [] : [{ _id: { $lt: new ObjectId(position) } }];
      const rows = await database.jobs
        .find({ $and: [jobsOf(viewer, states), ...before] })
        .sort({ _id: -1 })
        .limit(first + 1)
        .toArray();
      return pageOf(rows, first, {
        seal: (at) => sealer.seal(listing, at),
        positionOf: ({ _id }) => _id.toHexString(),
        record: jobRecord,
      });
    },

    async countJobs(viewer, states) {
      return await database.jobs.countDocuments(jobsOf(viewer, states));
    },

    async listJobItems(viewer, jobId, { states, first, after }) {
      const listing = listingName('job items', viewer.scope, { jobId, states: states ?? null });
      const position = positionAfter(sealer, listing, after) as number | undefined;
      const job = await rowById(viewer, jobId);
      if (job === null) return { items: [], hasNextPage: false };
      const rows = await database.jobItems
        .find({ ...itemsOf(job, states), ...(position !== undefined && { position: { $gt: position } }) })
        .project<Omit<JobItemRow, 'payload'>>({ payload: 0 })
        .sort({ position: 1 })
        .limit(first + 1)
        .toArray();
      return pageOf(rows, first, {
        seal: (at) => sealer.seal(listing, at),
        positionOf: (row) => row.position,
        record: jobItemRecord,
      });
    },

    async countJobItems(viewer, jobId, states) {
      const job = await rowById(viewer, jobId);
      if (job === null) return 0;
      return states === undefined ? job.total : await database.jobItems.countDocuments(itemsOf(job, states));
    },
  };
}
