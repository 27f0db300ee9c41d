import { AppError } from '../../errors.js';
import type { JobRecord } from '../../store/jobs/job-records.js';
import type { JobReads, JobViewer } from '../../store/jobs/job-store.js';
import type { JobChanges } from './job-changes.js';

/** Another server may run the items, so its progress is looked for; this one's own is heard of at once. */
const POLL_MS = 500;
/** What a job has that a watcher may see change. */
const SHOWN = ['state', 'total', 'done', 'failed', 'cancelled'] as const;

export interface WatchParts {
  readonly store: Pick<JobReads, 'job'>;
  readonly changes: JobChanges;
  /** The server stops. */
  readonly stopping: AbortSignal;
}

/** The job as it was found, then after every change, until it has ended. Polls only while somebody asks for more. */
export async function* watchJob(
  { store, changes, stopping }: WatchParts,
  viewer: JobViewer,
  found: JobRecord,
  signal: AbortSignal,
): AsyncGenerator<JobRecord, void> {
  const ending = AbortSignal.any([signal, stopping]);
  let last: JobRecord | null = null;
  for (let job: JobRecord | null = found; job !== null; job = await read(store, viewer, job)) {
    if (last === null || hasChanged(last, job)) yield job;
    last = job;
    if (hasEnded(job)) return;
    await changes.next(job.id, POLL_MS, ending);
    if (signal.aborted) return;
    if (stopping.aborted)
      throw new AppError('STORE_UNAVAILABLE', 'The server is stopping; the job goes on, ask again', {
        details: { retryable: true },
      });
  }
}

/** A database that is away for a moment is no news about the job. */
async function read(store: Pick<JobReads, 'job'>, viewer: JobViewer, last: JobRecord): Promise<JobRecord | null> {
  try {
    return await store.job(viewer, last.id);
  } catch (error) {
    if (error instanceof AppError && error.code === 'STORE_UNAVAILABLE') return last;
    throw error;
  }
}

function hasChanged(before: JobRecord, after: JobRecord): boolean {
  return (
    SHOWN.some((field) => before[field] !== after[field]) ||
    // that a long item still runs is news too, where nobody counts how far it is
    before.progress?.at.getTime() !== after.progress?.at.getTime()
  );
}

function hasEnded({ state }: JobRecord): boolean {
  return state !== 'QUEUED' && state !== 'RUNNING';
}
