import type { Document, ObjectId } from 'mongodb';
import type { Database } from './database.js';
import { listingName, pageOf, positionAfter } from './listing-cursor.js';
import { parseObjectId, parseObjectIds } from './object-id.js';
import { OWN_TEXT_FIELDS, type OwnTextRow, ownText } from './own-text.js';
import { readConsistently, type Versions } from './read-consistently.js';
import { CHUNK_FIELDS, chunkRecord } from './row-records.js';
import type { ChunkRow } from './rows.js';
import type { Scope } from './scope.js';
import { scopeFilter } from './scope-filter.js';
import type { Sealer } from './sealing.js';
import type { Store } from './store.js';
import { liveAt, liveExpression } from './visibility.js';

export type ChunkReads = Pick<Store, 'chunksByIds' | 'chunkTexts' | 'listChunks' | 'chunksAt'>;

type ListedRow = Pick<ChunkRow, '_id' | keyof typeof CHUNK_FIELDS>;

export function chunkReads(database: Database, sealer: Sealer): ChunkReads {
  /** Live chunks by id, in one aggregate that sees documents and chunks of one moment. */
  const liveRows = async <T extends Document>(
    scope: Scope,
    ids: readonly string[],
    fields: Document,
  ): Promise<Map<string, T>> => {
    const chunkIds = parseObjectIds(ids);
    if (chunkIds.length === 0) return new Map();
    const rows = await database.snapshotChunks
      .aggregate<T & { _id: ObjectId }>(liveChunksPipeline(scope, { _id: { $in: chunkIds } }, fields))
      .toArray();
    return new Map(rows.map((row) => [row._id.toHexString(), row]));
  };

  return {
    async chunksByIds(scope, ids) {
      const rows = await liveRows<ListedRow>(scope, ids, CHUNK_FIELDS);
      return ids.map((id) => recordOf(rows.get(id.toLowerCase())));
    },

    async chunkTexts(scope, ids) {
      const rows = await liveRows<OwnTextRow>(scope, ids, OWN_TEXT_FIELDS);
      return ids.map((id) => {
        const row = rows.get(id.toLowerCase());
        return row === undefined ? null : ownText(row);
      });
    },

    async listChunks(scope, documentId, { first, after }) {
      const listing = listingName('chunks', scope, { documentId: documentId.toLowerCase() });
      const position = positionAfter(sealer, listing, after) as number | undefined;
      const id = parseObjectId(documentId);
      if (id === null) return { items: [], hasNextPage: false };
      return await readConsistently(database, scope, [id], async (versions) => {
        const document = versions.get(id.toHexString());
        const rows =
          document === undefined
            ? []
            : await database.chunks
                .find({ document_id: id, ordinal: { $gt: position ?? -1 }, ...liveAt(document.version) })
                .project<ListedRow>(CHUNK_FIELDS)
                .sort({ ordinal: 1 })
                .limit(first + 1)
                .toArray();
        return pageOf(rows, first, {
          seal: (at) => sealer.seal(listing, at),
          positionOf: (row) => row.ordinal,
          record: chunkRecord,
        });
      });
    },

    async chunksAt(scope, places) {
      const documentIds = parseObjectIds([...new Set(places.map(({ documentId }) => documentId.toLowerCase()))]);
      return await readConsistently(database, scope, documentIds, async (versions) => {
        const wanted = ordinalsByDocument(places, versions);
        const rows =
          wanted.length === 0
            ? []
            : await database.chunks.find({ $or: wanted }).project<ListedRow>(CHUNK_FIELDS).toArray();
        const byPlace = new Map(rows.map((row) => [`${row.document_id.toHexString()} ${row.ordinal}`, row]));
        return places.map(({ documentId, ordinal }) => recordOf(byPlace.get(`${documentId.toLowerCase()} ${ordinal}`)));
      });
    },
  };
}

/**
 * Live chunks in scope, over `chunks` with read concern snapshot: looks up each row's document, and keeps what the
 * visibility rule and the scope keep *by the document's own agents*, so that a withdrawal counts before its chunk rows
 * have been told of it.
 */
export function liveChunksPipeline(scope: Scope, match: Document, fields: Document): Document[] {
  return [
    { $match: { $and: [{ owner: scope.owner }, match] } },
    {
      $lookup: {
        from: 'documents',
        localField: 'document_id',
        foreignField: '_id',
        pipeline: [{ $match: scopeFilter(scope) }, { $project: { version: 1 } }],
        as: 'document',
      },
    },
    { $unwind: '$document' },
    { $match: { $expr: liveExpression('$document.version') } },
    { $project: fields },
  ];
}

function ordinalsByDocument(
  places: readonly { documentId: string; ordinal: number }[],
  versions: Versions,
): Document[] {
  return [...versions].map(([id, { _id, version }]) => ({
    document_id: _id,
    ordinal: { $in: places.filter((place) => place.documentId.toLowerCase() === id).map(({ ordinal }) => ordinal) },
    ...liveAt(version),
  }));
}

function recordOf(row: ListedRow | undefined): ReturnType<typeof chunkRecord> | null {
  return row === undefined ? null : chunkRecord(row);
}
