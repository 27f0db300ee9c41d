import { type IngestItem, ingestItem } from '../../../src/ingest/jobs/ingest-items.js';
import { ingestKind } from '../../../src/ingest/jobs/ingest-kind.js';
import type { JobKindWork } from '../../../src/ingest/jobs/job-kinds.js';
import { type Jobs, jobsOf } from '../../../src/ingest/jobs/jobs.js';
import type { RunnerOptions } from '../../../src/ingest/jobs/runner-options.js';
import type { JobRecord, NewJobItem } from '../../../src/store/jobs/job-records.js';
import type { JobViewer } from '../../../src/store/jobs/job-store.js';
import type { Scope } from '../../../src/store/scope.js';
import type { TestStore } from '../../support/test-store.js';

export const seenBy = (scope: Scope): JobViewer => ({ scope, operator: null });

/** Jobs on a test's store: not started. What goes wrong beside items is a fault of the test. */
export function jobsOn(
  store: TestStore,
  options: { readonly runner?: Partial<RunnerOptions>; readonly kinds?: readonly JobKindWork[] } = {},
): Jobs & { readonly errors: unknown[] } {
  const errors: unknown[] = [];
  const kinds = options.kinds ?? [ingestKind(store.ingest, store)];
  const jobs = jobsOf({
    store,
    kinds,
    onError: (error) => errors.push(error),
    // a slot is one item, unless a test is about short documents
    runner: { pollMs: 50, lightBytes: 0, ...options.runner },
  });
  return { ...jobs, errors };
}

/** Short documents of one chunk each. */
export function documents(count: number, word = 'alpha', start = 0): IngestItem[] {
  return Array.from({ length: count }, (_, index) => ({
    title: `${word} ${start + index}`,
    text: `The ${word} number ${start + index} speaks of pumps and valves.`,
    dryRun: false,
    waitUntil: 'STORED',
  }));
}

export async function itemsOf(store: TestStore, scope: Scope, given: readonly IngestItem[]): Promise<NewJobItem[]> {
  const space = await store.activeSpace();
  return given.map((item) => ingestItem(scope, space, item));
}

/** Waits for the end by watching, as a client does. */
export async function ended(jobs: Jobs, scope: Scope, id: string, timeoutMs = 30_000): Promise<JobRecord> {
  let last: JobRecord | undefined;
  const signal = AbortSignal.timeout(timeoutMs);
  for await (const job of await jobs.watch(seenBy(scope), id, signal)) last = job;
  if (last === undefined || last.finishedAt === null) throw new Error(`The job has not ended: ${JSON.stringify(last)}`);
  return last;
}
