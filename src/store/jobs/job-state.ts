import type { JobState } from './job-records.js';

export interface JobCounts {
  readonly total: number;
  readonly done: number;
  readonly failed: number;
  readonly cancelled: number;
}

export type EndedState = Exclude<JobState, 'QUEUED' | 'RUNNING'>;

/** How the job ended, by its items alone; null while some have not. Pure: a state is never set without this proof. */
export function endedState({ total, done, failed, cancelled }: JobCounts): EndedState | null {
  if (done + failed + cancelled < total) return null;
  if (cancelled > 0) return 'CANCELLED';
  if (failed === 0) return 'SUCCEEDED';
  return done === 0 ? 'FAILED' : 'PARTIAL';
}
