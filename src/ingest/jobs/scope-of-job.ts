import { AppError } from '../../errors.js';
import type { JobPrincipal } from '../../store/jobs/job-records.js';
import type { JobWork } from '../../store/jobs/job-store.js';
import { makeScope, type Operator, type Scope } from '../../store/scope.js';

/**
 * For whom a job's items run: the second maker of a `Scope`, from the owner and the agents that the store kept with the
 * job. A key that was revoked or has expired since takes what it left behind along: throws `AppError` UNAUTHENTICATED.
 */
export async function scopeOfJob(
  store: Pick<JobWork, 'isPrincipalValid'>,
  operator: Operator,
  principal: JobPrincipal & { readonly owner: string },
): Promise<Scope> {
  if (!(await store.isPrincipalValid(operator, principal)))
    throw new AppError(
      'UNAUTHENTICATED',
      'The API key that created the job was revoked or has expired; retry the job with another one',
    );
  return makeScope(principal.owner, principal.agents);
}
