import type { Database } from './database.js';
import { parseObjectId } from './object-id.js';
import { readConsistently } from './read-consistently.js';
import type { ChunkRow } from './rows.js';
import type { Scope } from './scope.js';
import { embeddingPath } from './search-index-definitions.js';
import type { Store } from './store.js';
import { liveAt } from './visibility.js';

type HashedRow = Pick<ChunkRow, 'embed_hash' | 'start' | 'end' | 'context_line'>;

/** What an upsert asks of the stored version before it embeds anything. */
export function versionReads(database: Database): Pick<Store, 'storedEmbedHashes' | 'chunkHashes' | 'contextLines'> {
  const liveRows = async (
    scope: Scope,
    documentId: string,
    filter: object,
    fields: { readonly [K in keyof HashedRow]?: 1 } = { embed_hash: 1, start: 1, end: 1 },
  ): Promise<readonly HashedRow[]> => {
    const id = parseObjectId(documentId);
    if (id === null) return [];
    return await readConsistently(database, scope, [id], async (versions) => {
      const document = versions.get(id.toHexString());
      if (document === undefined) return [];
      return await database.chunks
        .find({ document_id: id, ...liveAt(document.version), ...filter })
        .project<HashedRow>(fields)
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
    async contextLines(scope, documentId) {
      const rows = await liveRows(scope, documentId, { context_line: { $exists: true } }, { context_line: 1 });
      return new Map(rows.flatMap(({ context_line: kept }) => (kept ? [[kept.key, kept.line] as const] : [])));
    },
    async chunkHashes(scope, documentId) {
      const rows = await liveRows(scope, documentId, {});
      return rows.map(({ embed_hash, start, end }) => ({ embedHash: embed_hash, start, end }));
    },
  };
}
