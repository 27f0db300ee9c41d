import type { Filter } from 'mongodb';
import type { JobRow } from './job-rows.js';
import type { JobViewer } from './job-store.js';

/**
 * The jobs that a caller may see: its owner's, and the operator's for operators. Credentials bound to agents see jobs
 * of credentials that were bound to theirs only, because a job names the documents it is about. Neither jobs that are
 * still being filled nor those past their retention are there for anyone.
 */
export function visibleJobs({ scope, operator }: JobViewer, now: Date): Filter<JobRow> {
  const owners = operator === null ? scope.owner : { $in: [scope.owner, null] };
  return {
    $and: [
      { owner: owners },
      ...(scope.agents === null
        ? []
        : [{ $or: [{ owner: null }, { agents: { $ne: null, $not: { $elemMatch: { $nin: [...scope.agents] } } } }] }]),
      { filling_at: { $exists: false } },
      { $or: [{ expires_at: { $exists: false } }, { expires_at: { $gt: now } }] },
    ],
  } as Filter<JobRow>;
}
