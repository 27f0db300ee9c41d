import { Refusal } from '../errors.js';
import type { IngestItem } from '../ingest/jobs/ingest-items.js';
import type { JobRecord } from '../store/jobs/job-records.js';
import type { JobViewer } from '../store/jobs/job-store.js';
import { type RequestContext, requireOperator } from './context.js';
import { upsertInput } from './document-input.js';
import { makeLoaders } from './loaders.js';
import { idOf } from './node-id.js';
import type { UpsertDocumentInput } from './schema.generated.js';
import { TextBudget } from './text-budget.js';
import { whileAuthenticated } from './while-authenticated.js';

/** Whose jobs the caller sees: its owner's, and the operator's as an administrator. */
export function jobViewer(context: RequestContext): JobViewer {
  const isOperator = context.credentials.role === 'ADMIN';
  return { scope: context.scope, operator: isOperator ? requireOperator(context) : null };
}

/** What `upsertDocument` would refuse is refused for this item alone. */
export function ingestItem(document: UpsertDocumentInput): IngestItem {
  try {
    return upsertInput(document);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { title: document.title, refused: error };
  }
}

/** The job that a mutation names, after `change`. Throws `Refusal` NOT_FOUND. */
export async function changedJob(
  jobId: string,
  change: (id: string) => Promise<JobRecord | null>,
): Promise<{ job: JobRecord }> {
  const id = idOf('Job', jobId);
  const job = id === null ? null : await change(id);
  if (job === null) throw new Refusal('NOT_FOUND', 'The caller has no such job', ['input', 'jobId']);
  return { job };
}

/** A job's states as events of a subscription, as long as the credentials are good; what is selected below each is read anew. */
export async function jobEvents(jobId: string, context: RequestContext): Promise<AsyncGenerator<{ job: JobRecord }>> {
  return await whileAuthenticated(context, async (signal) => {
    const jobs = await context.jobs.watch(jobViewer(context), idOf('Job', jobId) ?? '', signal);
    return eventsOf(jobs, context);
  });
}

async function* eventsOf(
  jobs: AsyncGenerator<JobRecord, void>,
  context: RequestContext,
): AsyncGenerator<{ job: JobRecord }, void> {
  for await (const job of jobs) {
    context.loaders = makeLoaders(context.store, context.scope);
    context.text = new TextBudget();
    yield { job };
  }
}
