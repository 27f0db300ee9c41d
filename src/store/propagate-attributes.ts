import type { ObjectId } from 'mongodb';
import type { Database } from './database.js';
import { inTransaction } from './transaction.js';
import { ROWS_PER_BATCH } from './undo-staged.js';
import { inheritedFields } from './write-plan.js';

/**
 * Brings a document's chunk rows to its attributes, in batches, then takes the document's `attributes_pending` away.
 * Each batch is a transaction that also touches the document at the revision it started from: when a later change comes
 * in between, that change propagates itself, and this one stops. Repeatable after a crash.
 */
export async function propagateAttributes(database: Database, documentId: ObjectId): Promise<void> {
  const document = await database.documents.findOne({ _id: documentId, attributes_pending: { $exists: true } });
  if (document === null) return;
  const guard = { _id: documentId, revision: document.revision, attributes_pending: { $exists: true } };
  let after: ObjectId | undefined;
  for (;;) {
    const rows = await database.chunks
      .find({ document_id: documentId, ...(after !== undefined && { _id: { $gt: after } }) })
      .project<{ _id: ObjectId }>({ _id: 1 })
      .sort({ _id: 1 })
      .limit(ROWS_PER_BATCH)
      .toArray();
    const isHeld = await inTransaction(database, async (session) => {
      const done = rows.length === 0;
      const held = await database.documents.updateOne(
        guard,
        done ? { $unset: { attributes_pending: 1 } } : { $inc: { attributes_pending: 1 } },
        { session },
      );
      if (held.matchedCount === 0) return false;
      if (!done)
        await database.chunks.updateMany(
          { _id: { $in: rows.map(({ _id }) => _id) } },
          { $set: { ...inheritedFields(document) } },
          { session },
        );
      return !done;
    });
    if (!isHeld) return;
    after = rows.at(-1)?._id;
  }
}
