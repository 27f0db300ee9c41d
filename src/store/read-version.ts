import type { Document } from 'mongodb';
import type { Database } from './database.js';
import { parseObjectId } from './object-id.js';
import { OWN_TEXT_FIELDS, type OwnTextRow, ownText } from './own-text.js';
import { readConsistently } from './read-consistently.js';
import type { ChunkRow } from './rows.js';
import type { Scope } from './scope.js';
import { embeddingPath } from './search-index-definitions.js';
import type { Store } from './store.js';
import { liveAt } from './visibility.js';

const HASHED_FIELDS = { embed_hash: 1, start: 1, end: 1 } as const;
type HashedRow = Pick<ChunkRow, keyof typeof HASHED_FIELDS>;
const PREFIXED_FIELDS = { embed_prefix: 1, ...OWN_TEXT_FIELDS } as const;
type PrefixedRow = OwnTextRow & Required<Pick<ChunkRow, 'embed_prefix'>>;

/** What an upsert asks of the stored version before it embeds anything. */
export function versionReads(database: Database): Pick<Store, 'storedEmbedHashes' | 'chunkHashes' | 'chunkPrefixes'> {
  const liveRows = async <Row extends Document = HashedRow>(
    scope: Scope,
    documentId: string,
    filter: object,
    fields: { readonly [K in keyof Row]?: 1 } = HASHED_FIELDS as { readonly [K in keyof Row]?: 1 },
  ): Promise<readonly Row[]> => {
    const id = parseObjectId(documentId);
    if (id === null) return [];
    return await readConsistently(database, scope, [id], async (versions) => {
      const document = versions.get(id.toHexString());
      if (document === undefined) return [];
      return await database.chunks
        .find({ document_id: id, ...liveAt(document.version), ...filter })
        .project<Row>(fields)
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
    async chunkPrefixes(scope, documentId) {
      const rows = await liveRows<PrefixedRow>(scope, documentId, { embed_prefix: { $exists: true } }, PREFIXED_FIELDS);
      return rows.map((row) => ({ embedPrefix: row.embed_prefix, text: ownText(row) }));
    },
    async chunkHashes(scope, documentId) {
      const rows = await liveRows(scope, documentId, {});
      return rows.map(({ embed_hash, start, end }) => ({ embedHash: embed_hash, start, end }));
    },
  };
}
