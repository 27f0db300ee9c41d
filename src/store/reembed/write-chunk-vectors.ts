import { toBinary } from '../chunk-rows.js';
import type { Database } from '../database.js';
import { parseObjectId } from '../object-id.js';
import { embeddingPath } from '../search-index-definitions.js';
import { noSuchSpace } from '../space-changes.js';
import { type SpaceFence, SpacesMoved } from '../space-fence.js';
import { storedSpaces } from '../spaces.js';
import type { Store } from '../store.js';
import { inTransaction } from '../transaction.js';

/** The list of spaces changes by hand; a second change while a batch is written would be a coincidence. */
const MAX_ATTEMPTS = 5;

/**
 * Vectors for chunks that have none in a space. A chunk that is gone, has got another text or got its vector from an upsert
 * is passed over. Under the fence, so that nothing is added to a space once it is dropped.
 */
export function vectorWriter(database: Database, fence: SpaceFence): Pick<Store, 'writeChunkVectors'> {
  return {
    async writeChunkVectors(_operator, space, vectors) {
      if (vectors.length === 0) return 0;
      const path = embeddingPath(space);
      const updates = vectors.flatMap(({ id, embedHash, vector }) => {
        const _id = parseObjectId(id);
        if (_id === null) return [];
        const filter = { _id, embed_hash: embedHash, [path]: { $exists: false } };
        return [{ updateOne: { filter, update: { $set: { [path]: toBinary(vector) } } } }];
      });
      for (let attempt = 1; ; attempt++) {
        const spaces = (await storedSpaces(database)).map(({ id }) => id);
        if (!spaces.includes(space)) throw noSuchSpace();
        try {
          return await fence.during({ spaces }, (pass) =>
            inTransaction(database, async (session) => {
              await pass.alone(session);
              const { modifiedCount } = await database.chunks.bulkWrite(updates, { session, ordered: false });
              return modifiedCount;
            }),
          );
        } catch (error) {
          if (!(error instanceof SpacesMoved) || attempt === MAX_ATTEMPTS) throw error;
        }
      }
    },
  };
}
