import type { ObjectId } from 'mongodb';
import type { Clock } from './clock.js';
import type { Database } from './database.js';
import { inBatches, ROWS_PER_BATCH } from './undo-staged.js';
import { liveAt } from './visibility.js';

/**
 * Deletes the rows of a document that does not exist, in batches, then its cleanup row. Its first step takes the row
 * away from an attempt that might still flip, so that nothing can be added any more. Returns how many rows were live at
 * `version`. Repeatable: after a crash the sweeper goes on.
 */
export async function cleanUpDocument(
  database: Database,
  documentId: ObjectId,
  clock: Clock,
  version = 0,
): Promise<number> {
  const held = await database.cleanups.updateOne({ _id: documentId }, { $set: { attempt: null, at: clock() } });
  // The flip took it: the document exists, and its rows are not ours to delete.
  if (held.matchedCount === 0) return 0;
  let live = 0;
  for (const filter of [{ document_id: documentId, ...liveAt(version) }, { document_id: documentId }])
    await inBatches(
      async () => {
        const found = database.chunks.find(filter).project<{ _id: ObjectId }>({ _id: 1 }).limit(ROWS_PER_BATCH);
        return (await found.toArray()).map(({ _id }) => _id);
      },
      async (ids) => {
        const { deletedCount } = await database.chunks.deleteMany({ _id: { $in: ids } });
        if ('from_version' in filter) live += deletedCount;
      },
    );
  await database.texts.deleteMany({ document_id: documentId });
  await database.cleanups.deleteOne({ _id: documentId });
  return live;
}
