import type { Database } from './database.js';
import { parseObjectId } from './object-id.js';
import { readConsistently } from './read-consistently.js';
import type { ChunkRow } from './rows.js';
import type { Scope } from './scope.js';
import { embeddingPath } from './search-index-definitions.js';
import type { Store } from './store.js';
import { liveAt } from './visibility.js';

type HashedRow = Pick<ChunkRow, 'embed_hash' | 'start' | 'end'>;

/** What an upsert asks of the stored version before it embeds anything. */
export function versionReads(database: Database): Pick<Store, 'storedEmbedHashes' | 'chunkHashes'> {
  const liveRows = async (scope: Scope, documentId: string, filter: object): Promise<readonly HashedRow[]> => {
    const id = parseObjectId(documentId);
    if (id === null) return [];
    return await readConsistently(database, scope, [id], async (versions) => {
      const document = versions.get(id.toHexString());
      if (document === undefined) return [];
      return await database.chunks
        .find({ document_id: id, ...liveAt(document.version), ...filter })
        .project<HashedRow>({ embed_hash: 1, start: 1, end: 1 })
        .sort({ ordinal: 1 })
        .toArray();
    });
  };
  return {
    async storedEmbedHashes(scope, documentId, space, hashes) {
      const rows = await liveRows(scope, documentId, { [embeddingPath(space)]: { $exists: true } });
      const stored = new Set(rows.map((row) => row.embed_hash));
      return new Set(hashes.filter((hash) => stored.has(hash)));
    },
    async chunkHashes(scope, documentId) {
      const rows = await liveRows(scope, documentId, {});
      return rows.map(({ embed_hash, start, end }) => ({ embedHash: embed_hash, start, end }));
    },
  };
}
