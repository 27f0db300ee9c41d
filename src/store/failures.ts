import type { Filter } from 'mongodb';
import type { Database } from './database.js';
import { parseObjectId } from './object-id.js';
import type { DocumentRow } from './rows.js';
import type { Scope } from './scope.js';
import { inScope } from './scope-filter.js';
import type { Store } from './store.js';

/** Longest kept reason of a failure, in UTF-16 code units. */
const MAX_ERROR_LENGTH = 2_000;

/**
 * The outcome of a failed attempt, on the document. Neither version, revision nor time of change move: what is served
 * did not change, and an attempt under way must not be made to start again.
 */
export function failureWriter(database: Database): Pick<Store, 'recordFailure' | 'clearFailure'> {
  const update = async (
    scope: Scope,
    documentId: string,
    condition: Filter<DocumentRow>,
    set: Partial<DocumentRow>,
  ) => {
    const id = parseObjectId(documentId);
    if (id === null) return;
    await database.documents.updateOne(inScope<DocumentRow>(scope, { _id: id, ...condition }), { $set: set });
  };
  return {
    async recordFailure(scope, documentId, reason) {
      const last_error = reason.slice(0, MAX_ERROR_LENGTH).toWellFormed();
      await update(scope, documentId, { version: { $gt: 0 } }, { last_error });
      await update(scope, documentId, { version: 0 }, { last_error, status: 'FAILED' });
    },
    async clearFailure(scope, documentId) {
      await update(scope, documentId, {}, { last_error: null });
    },
  };
}
