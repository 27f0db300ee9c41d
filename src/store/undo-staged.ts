import type { ObjectId } from 'mongodb';
import { type Claim, claimDocument, releaseDocument, underClaim } from './claim.js';
import type { Clock } from './clock.js';
import type { Database } from './database.js';
import type { DocumentRow } from './rows.js';
import { VersionMoved } from './store.js';

/** Rows per transaction: the size that MongoDB advises ("Production Considerations", transactions). */
export const ROWS_PER_BATCH = 1_000;

/** Removes what an attempt staged beyond `version` and never flipped to, under a claim. Repeatable. */
export async function undoStaged(database: Database, claim: Claim, version: number): Promise<void> {
  const beyond = { document_id: claim.documentId, from_version: { $gt: version } };
  await inBatches(
    () => idsOf(database, beyond),
    (ids) => underClaim(database, claim, (session) => database.chunks.deleteMany({ _id: { $in: ids } }, { session })),
  );
  const superseded = { document_id: claim.documentId, to_version: { $gt: version } };
  await inBatches(
    () => idsOf(database, superseded),
    (ids) =>
      underClaim(database, claim, (session) =>
        database.chunks.updateMany({ _id: { $in: ids } }, { $unset: { to_version: 1 } }, { session }),
      ),
  );
  await underClaim(database, claim, (session) =>
    database.texts.deleteMany({ document_id: claim.documentId, version: { $gt: version } }, { session }),
  );
}

/** Takes over a claim whose holder is gone, undoes what it staged, and frees the document. False: somebody else is at it. */
export async function recoverAttempt(
  database: Database,
  row: Pick<DocumentRow, '_id' | 'version' | 'revision'>,
  clock: Clock,
): Promise<boolean> {
  try {
    const claim = await claimDocument(database, { id: row._id, version: row.version, revision: row.revision }, clock);
    await undoStaged(database, claim, row.version);
    await releaseDocument(database, claim);
    return true;
  } catch (error) {
    if (error instanceof VersionMoved) return false;
    throw error;
  }
}

/** Until `next` returns nothing more. Each round removes what it was given from what `next` finds. */
export async function inBatches(
  next: () => Promise<ObjectId[]>,
  change: (ids: ObjectId[]) => Promise<unknown>,
): Promise<void> {
  for (let ids = await next(); ids.length > 0; ids = await next()) await change(ids);
}

async function idsOf(database: Database, filter: object): Promise<ObjectId[]> {
  const rows = await database.chunks
    .find(filter)
    .project<{ _id: ObjectId }>({ _id: 1 })
    .limit(ROWS_PER_BATCH)
    .toArray();
  return rows.map((row) => row._id);
}
