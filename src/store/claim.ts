import { randomUUID } from 'node:crypto';
import type { ClientSession, ObjectId } from 'mongodb';
import type { Clock } from './clock.js';
import type { Database } from './database.js';
import { VersionMoved } from './store.js';
import { inTransaction } from './transaction.js';

/**
 * Fencing for versions that are too large for one transaction. Rows staged for version N+1 become live when *anyone*
 * moves the document to N+1, so one attempt at a time may stage them: it claims the document, and each of its batches
 * is a transaction that also renews the claim. An attempt whose claim was taken over can write nothing more; whoever
 * takes it over undoes what it staged, also under the claim, before anything else. Writers of one transaction refuse
 * while a claim is there. See Kleppmann, "How to do distributed locking" (2016), on why a lease alone is not enough.
 */
export interface Claim {
  readonly documentId: ObjectId;
  readonly attempt: string;
  /** Renews the claim within a transaction. Throws `VersionMoved` when it is lost or the document moved. */
  renew(session: ClientSession): Promise<void>;
}

/** A claim that was not renewed for so long belongs to a process that is gone. A batch takes well under a second. */
export const LEASE_MS = 60_000;

/** Claims an existing document at the version and revision it was read at. Throws `VersionMoved`. */
export async function claimDocument(
  database: Database,
  document: { readonly id: ObjectId; readonly version: number; readonly revision: number },
  clock: Clock,
): Promise<Claim> {
  const attempt = randomUUID();
  const now = clock();
  const guard = { _id: document.id, version: document.version, revision: document.revision };
  const claimed = await database.documents.updateOne(
    { ...guard, $or: [{ attempt: { $exists: false } }, { 'attempt.at': { $lt: new Date(now.getTime() - LEASE_MS) } }] },
    { $set: { attempt: { id: attempt, at: now } } },
  );
  if (claimed.matchedCount === 0) throw new VersionMoved();
  return {
    documentId: document.id,
    attempt,
    async renew(session) {
      const renewed = await database.documents.updateOne(
        { ...guard, 'attempt.id': attempt },
        { $set: { 'attempt.at': clock() } },
        { session },
      );
      if (renewed.matchedCount === 0) throw new VersionMoved();
    },
  };
}

/**
 * Claims the id of a document that does not exist yet: its staged rows are invisible until the document joins them, and
 * the cleanup row is what the sweeper goes by when it never does.
 */
export async function claimNewDocument(
  database: Database,
  document: { readonly id: ObjectId; readonly owner: string },
  clock: Clock,
): Promise<Claim> {
  const attempt = randomUUID();
  const at = clock();
  await database.cleanups.insertOne({ _id: document.id, owner: document.owner, attempt: { id: attempt, at }, at });
  return {
    documentId: document.id,
    attempt,
    async renew(session) {
      const renewed = await database.cleanups.updateOne(
        { _id: document.id, 'attempt.id': attempt },
        { $set: { at: clock() } },
        { session },
      );
      if (renewed.matchedCount === 0) throw new VersionMoved();
    },
  };
}

/** One batch under the claim: all of it is kept, and only while the claim holds. */
export async function underClaim<T>(
  database: Database,
  claim: Claim,
  batch: (session: ClientSession) => Promise<T>,
): Promise<T> {
  return await inTransaction(database, async (session) => {
    await claim.renew(session);
    return await batch(session);
  });
}

/** Gives the claim back; a lost one is nobody's to give. */
export async function releaseDocument(database: Database, claim: Claim): Promise<void> {
  await database.documents.updateOne(
    { _id: claim.documentId, 'attempt.id': claim.attempt },
    { $unset: { attempt: 1 } },
  );
}
