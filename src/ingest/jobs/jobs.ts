import { AppError, Refusal } from '../../errors.js';
import type { JobRecord, NewJob } from '../../store/jobs/job-records.js';
import type { JobStore, JobViewer } from '../../store/jobs/job-store.js';
import type { Operator, Scope } from '../../store/scope.js';
import type { Store } from '../../store/store.js';
import { normalizeTitle } from '../../store/title.js';
import { type IngestItem, ingestItem } from './ingest-items.js';
import { JobChanges } from './job-changes.js';
import type { JobKindWork } from './job-kinds.js';
import { JobRunner } from './runner.js';
import type { RunnerOptions } from './runner-options.js';
import { watchJob } from './watch-job.js';

/** Work that outlives a request: queued by anyone, run by any server of the database. */
export interface Jobs {
  /** See `JobWrites.createJob`; this server hears of it at once. */
  create(actor: Scope | Operator, job: NewJob): Promise<JobRecord>;
  /** Upserts as one job, each of which ends by itself. `Refusal` INVALID (how many, dryRun, a title twice), QUOTA_EXCEEDED. */
  ingestDocuments(
    scope: Scope,
    documents: readonly IngestItem[],
    caller: { apiKeyId: string | null },
  ): Promise<JobRecord>;
  cancel(viewer: JobViewer, id: string): Promise<JobRecord | null>;
  retry(viewer: JobViewer, id: string, caller: { apiKeyId: string | null }): Promise<JobRecord | null>;
  /** The job now, and again after every change until it has ended. `AppError` BAD_USER_INPUT where there is none. */
  watch(viewer: JobViewer, id: string, signal: AbortSignal): Promise<AsyncGenerator<JobRecord, void>>;
  /** Begins to run what is queued. */
  start(): void;
  stop(): Promise<void>;
}

/** Documents of one `ingestDocuments`. */
export const MAX_DOCUMENTS_PER_CALL = 100;

/** With any kinds of work; `createJobs` knows those of this server. */
export function jobsOf(options: {
  readonly store: JobStore & Pick<Store, 'activeSpace' | 'documentsByIds'>;
  readonly kinds: readonly JobKindWork[];
  readonly onError: (error: unknown) => void;
  readonly runner?: Partial<RunnerOptions>;
}): Jobs {
  const { store } = options;
  const changes = new JobChanges();
  const stopping = new AbortController();
  const runner = new JobRunner({ ...options, changes }, options.runner);
  const create = async (actor: Scope | Operator, job: NewJob): Promise<JobRecord> => {
    const created = await store.createJob(actor, job);
    runner.wake();
    return created;
  };
  return {
    create,
    async ingestDocuments(scope, documents, { apiKeyId }) {
      checkCall(documents);
      const space = await store.activeSpace();
      const items = documents.map((document) => ingestItem(scope, space, document));
      return await create(scope, { kind: 'INGEST', apiKeyId, items });
    },
    async cancel(viewer, id) {
      const job = await store.cancelJob(viewer, id);
      changes.changed(id);
      return job;
    },
    async retry(viewer, id, caller) {
      const job = await store.retryJob(viewer, id, caller);
      changes.changed(id);
      runner.wake();
      return job;
    },
    async watch(viewer, id, signal) {
      const job = await store.job(viewer, id);
      if (job === null) throw new AppError('BAD_USER_INPUT', 'The caller has no such job');
      return watchJob({ store, changes, stopping: stopping.signal }, viewer, job, signal);
    },
    start: () => runner.start(),
    async stop() {
      stopping.abort();
      await runner.stop();
    },
  };
}

function checkCall(documents: readonly IngestItem[]): void {
  const path = ['input', 'documents'];
  if (documents.length === 0 || documents.length > MAX_DOCUMENTS_PER_CALL)
    throw new Refusal('INVALID', `Expected 1 to ${MAX_DOCUMENTS_PER_CALL} documents, got ${documents.length}`, path);
  const dry = documents.findIndex((document) => 'dryRun' in document && document.dryRun);
  if (dry >= 0)
    throw new Refusal('INVALID', 'A job stores what it is given: `dryRun` is for upsertDocument', [
      ...path,
      String(dry),
      'dryRun',
    ]);
  checkTitles(documents);
}

/** Items run in no order, so of two texts under one title either might be the one that stays. */
function checkTitles(documents: readonly IngestItem[]): void {
  const positions = new Map<string, number>();
  for (const [position, { title }] of documents.entries()) {
    const key = normalizeTitle(title);
    // A blank title is refused with its item.
    if (key === '') continue;
    const first = positions.get(key);
    if (first !== undefined)
      throw new Refusal('INVALID', `The document at ${first} has the same title: one call stores a title once`, [
        'input',
        'documents',
        String(position),
        'title',
      ]);
    positions.set(key, position);
  }
}
