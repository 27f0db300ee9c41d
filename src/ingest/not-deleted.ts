import { Refusal } from '../errors.js';
import type { QueuedOn } from '../store/jobs/job-records.js';
import type { Scope } from '../store/scope.js';
import type { Store } from '../store/store.js';

/**
 * To a title that no document has: throws `Refusal` CONFLICT where one had it when this was queued in a job, and was deleted
 * since. One that only has another title now does not keep the text away.
 */
export async function requireNotDeleted(
  store: Pick<Store, 'document'>,
  scope: Scope,
  queuedOn: QueuedOn | null | undefined,
): Promise<void> {
  if (!queuedOn || queuedOn.documentId === null) return;
  if ((await store.document(scope, { id: queuedOn.documentId })) !== null) return;
  throw new Refusal(
    'CONFLICT',
    'The document was deleted after this was queued, and stays away. Send this again if it is to come back',
    ['input', 'title'],
  );
}
