import type { ObjectId } from 'mongodb';
import type { Database } from '../database.js';
import type { Scope } from '../scope.js';
import { callOptions, withinBudget } from './budget.js';
import type { Budget } from './search-store.js';

/** Of each kind: of an owner with more of them at once, the rest is met as stale hits. */
const MAX_UNSEEN = 100;

/**
 * Ids of the owner's documents of which no row can be live: large ones that are being stored for the first time, or removed
 * bit by bit. The indexes hold their rows all the same, thousands perhaps, which may push everything else out of a leg.
 */
export async function unseenDocuments(database: Database, scope: Scope, budget: Budget): Promise<readonly string[]> {
  const { owner } = scope;
  const options = callOptions(budget);
  const idsOnly = { projection: { _id: 1 }, limit: MAX_UNSEEN, ...options } as const;
  const [withoutDocument, withoutVersion] = await withinBudget(budget, () =>
    Promise.all([
      database.cleanups.find<{ _id: ObjectId }>({ owner }, idsOnly).toArray(),
      // By the sparse index that nearly no document is in: an owner may have any number of others.
      database.documents
        .find<{ _id: ObjectId }>(
          { owner, version: 0, 'attempt.at': { $gt: new Date(0) } },
          { ...idsOnly, hint: 'attempts' },
        )
        .toArray(),
    ]),
  );
  return [...withoutDocument, ...withoutVersion].map(({ _id }) => _id.toHexString());
}
