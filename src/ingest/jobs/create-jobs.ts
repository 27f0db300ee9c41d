import type { Embedder } from '../../embed/embedder.js';
import type { SpaceRecord } from '../../store/records.js';
import type { Store } from '../../store/store.js';
import type { Ingest } from '../ingest.js';
import { reembedWork } from '../reembed/reembed-work.js';
import { importWork } from '../transfer/import-work.js';
import { ingestKind } from './ingest-kind.js';
import type { JobKindWork } from './job-kinds.js';
import { type Jobs, jobsOf } from './jobs.js';
import type { RunnerOptions } from './runner-options.js';

export interface JobsOptions {
  readonly store: Store;
  readonly ingest: Ingest;
  readonly embedderOf: (space: SpaceRecord) => Embedder;
  /** A bug in an item, or a database that is away: both are tried again. */
  readonly onError: (error: unknown) => void;
  readonly runner?: Partial<RunnerOptions>;
}

/** Jobs of every kind that there is. */
export function createJobs(options: JobsOptions): Jobs {
  const { store, ingest } = options;
  const kinds: readonly JobKindWork[] = [ingestKind(ingest, store), importWork(options), reembedWork(options)];
  return jobsOf({ ...options, kinds });
}
