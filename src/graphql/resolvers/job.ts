import { requireRole } from '../context.js';
import { notImplemented } from '../not-implemented.js';
import type { MutationResolvers, QueryResolvers, SubscriptionResolvers } from '../schema.generated.js';

const Query: Pick<QueryResolvers, 'jobs'> = { jobs: () => notImplemented('jobs') };

const Mutation: Pick<MutationResolvers, 'ingestDocuments' | 'cancelJob' | 'retryJob'> = {
  ingestDocuments: (_, __, context) => notImplemented('ingestDocuments', requireRole(context, 'WRITER')),
  cancelJob: (_, __, context) => notImplemented('cancelJob', requireRole(context, 'WRITER')),
  retryJob: (_, __, context) => notImplemented('retryJob', requireRole(context, 'WRITER')),
};

const Subscription: SubscriptionResolvers = {
  job: { subscribe: () => notImplemented('subscription job') },
};

export const job = { Query, Mutation, Subscription };
