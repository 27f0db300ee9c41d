import type { ObjectId } from 'mongodb';
import { cleanUpDocument } from './clean-up.js';
import type { Clock } from './clock.js';
import type { Database } from './database.js';
import { deleteOne } from './delete-documents.js';
import { removeJobsOf } from './jobs/remove-job.js';
import type { Store } from './store.js';

/** Documents whose ids are read at once. */
const PAGE = 200;

export function ownerEraser(
  database: Database,
  options: { clock: Clock; maxTransactionRows: number },
): Pick<Store, 'eraseOwner'> {
  return {
    async eraseOwner(_operator, owner, { dryRun }) {
      if (dryRun)
        return {
          documents: await database.documents.countDocuments({ owner }),
          chunks: await countChunks(database, owner),
          jobs: await database.jobs.countDocuments({ owner }),
          apiKeys: await database.apiKeys.countDocuments({ owner }),
        };
      // Keys and jobs first, so that nothing new begins while the rest goes.
      const apiKeys = (await database.apiKeys.deleteMany({ owner })).deletedCount;
      const { jobs, documents: announced } = await removeJobsOf(database, owner);
      await database.rankings.deleteMany({ owner });
      await database.keptWork.deleteMany({ owner });
      let documents = announced;
      let chunks = 0;
      for await (const id of documentIds(database, owner)) {
        const deleted = await deleteOne(database, { _id: id, owner }, options);
        if (deleted === null) continue;
        documents++;
        chunks += deleted.deletedChunks;
      }
      // What deleted documents or attempts that died left, and the sweeper has not come to yet.
      for await (const { _id } of database.cleanups.find({ owner }))
        await cleanUpDocument(database, _id, options.clock);
      return { documents, chunks, jobs, apiKeys };
    },
  };
}

/** Live rows, as documents count them. */
async function countChunks(database: Database, owner: string): Promise<number> {
  const [sum] = await database.documents
    .aggregate<{ chunks: number }>([{ $match: { owner } }, { $group: { _id: null, chunks: { $sum: '$chunk_count' } } }])
    .toArray();
  return sum?.chunks ?? 0;
}

async function* documentIds(database: Database, owner: string): AsyncGenerator<ObjectId> {
  for (;;) {
    const rows = await database.documents.find({ owner }).project<{ _id: ObjectId }>({ _id: 1 }).limit(PAGE).toArray();
    if (rows.length === 0) return;
    for (const { _id } of rows) yield _id;
  }
}
