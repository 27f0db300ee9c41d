import type { JobItemRecord, JobRecord } from '../../store/jobs/job-records.js';
import { connectionResolvers } from '../connections.js';
import { requireRole } from '../context.js';
import { changedJob, ingestItem, jobEvents, jobViewer } from '../job-input.js';
import { encodeNodeId } from '../node-id.js';
import type {
  JobConnectionResolvers,
  JobItemConnectionResolvers,
  JobItemResolvers,
  JobProgressResolvers,
  JobResolvers,
  MutationResolvers,
  QueryResolvers,
  SubscriptionResolvers,
} from '../schema.generated.js';
import { withUserErrors } from '../user-errors.js';

const Query: Pick<QueryResolvers, 'jobs'> = {
  jobs: async (_, { states, first, after }, context) => {
    const viewer = jobViewer(context);
    const filter = states ? { states } : {};
    const page = await context.store.listJobs(viewer, { ...filter, first, ...(after == null ? {} : { after }) });
    return { page, after: after ?? null, totalCount: () => context.store.countJobs(viewer, states ?? undefined) };
  },
};

const Mutation: Pick<MutationResolvers, 'ingestDocuments' | 'cancelJob' | 'retryJob'> = {
  ingestDocuments: (_, { input }, context) => {
    requireRole(context, 'WRITER');
    const { jobs, scope, credentials } = context;
    const caller = { apiKeyId: credentials.apiKeyId ?? null };
    return withUserErrors({ job: null }, async () => ({
      job: await jobs.ingestDocuments(scope, input.documents.map(ingestItem), caller),
    }));
  },
  cancelJob: (_, { input }, context) => {
    requireRole(context, 'WRITER');
    return withUserErrors({ job: null }, () =>
      changedJob(input.jobId, (id) => context.jobs.cancel(jobViewer(context), id)),
    );
  },
  retryJob: (_, { input }, context) => {
    requireRole(context, 'WRITER');
    const caller = { apiKeyId: context.credentials.apiKeyId ?? null };
    return withUserErrors({ job: null }, () =>
      changedJob(input.jobId, (id) => context.jobs.retry(jobViewer(context), id, caller)),
    );
  },
};

const Subscription: SubscriptionResolvers = {
  job: {
    subscribe: (_, { id }, context) => jobEvents(id, context),
  },
};

const Job: JobResolvers = {
  id: ({ id }) => encodeNodeId('Job', id),
  items: async ({ id }, { states, first, after }, context) => {
    const viewer = jobViewer(context);
    const filter = states ? { states } : {};
    const args = { ...filter, first, ...(after == null ? {} : { after }) };
    const page = await context.store.listJobItems(viewer, id, args);
    const totalCount = () => context.store.countJobItems(viewer, id, states ?? undefined);
    return { page, after: after ?? null, totalCount };
  },
};

const JobProgress: JobProgressResolvers = {
  phase: ({ phase }) => phase.toUpperCase() as Uppercase<typeof phase>,
};

const JobItem: JobItemResolvers = {
  document: ({ documentId }, _, { loaders }) => (documentId === null ? null : loaders.document.load(documentId)),
};

const JobConnection: JobConnectionResolvers = connectionResolvers<JobRecord>();
const JobItemConnection: JobItemConnectionResolvers = connectionResolvers<JobItemRecord>();

export const job = { Query, Mutation, Subscription, Job, JobProgress, JobItem, JobConnection, JobItemConnection };
