import type { Filter } from 'mongodb';
import type { Database } from './database.js';
import { STORED_CHUNK_FIELDS } from './diff-chunks.js';
import { toStoreError } from './mongo-errors.js';
import { parseObjectId } from './object-id.js';
import type { DocumentRecord, NewChunk } from './records.js';
import { documentRecord, placement } from './row-records.js';
import type { ChunkRow, DocumentRow } from './rows.js';
import type { Scope } from './scope.js';
import { inScope } from './scope-filter.js';
import { embeddingPath } from './search-index-definitions.js';
import type { Store } from './store.js';
import { liveAt } from './visibility.js';

/** Rows with vectors per query: below 2 MB at 3 072 dimensions. */
const CHUNKS_PER_QUERY = 128;

const FIELDS = { ...STORED_CHUNK_FIELDS, embed_prefix: 1 } as const;
type WholeRow = Pick<ChunkRow, keyof typeof FIELDS> & { readonly embeddings?: ChunkRow['embeddings'] };

/** A chunk with its vector; its text is the document's from `start` to `end`. */
export interface WholeChunk extends Omit<NewChunk, 'language' | 'text'> {
  /** In the space asked for; null where the chunk has none there. */
  readonly vector: Float32Array | null;
}

/**
 * A stored version, read piece by piece because it may be hundreds of megabytes. Nothing is held for it in the database:
 * the document may move meanwhile, so what was read counts only when `isCurrent` says so afterwards.
 */
export interface WholeDocument {
  readonly document: DocumentRecord;
  textParts(): AsyncGenerator<string>;
  /** By ordinal. */
  chunks(space: string): AsyncGenerator<WholeChunk>;
  /** The document is still at the version that was opened, and still in scope. */
  isCurrent(): Promise<boolean>;
}

/** Where a walk over documents has got to. */
export interface WalkPosition {
  readonly id: string;
  readonly createdAt: Date;
}

export function wholeReads(database: Database): Pick<Store, 'walkDocuments' | 'openDocument'> {
  return {
    async walkDocuments(scope, after, limit) {
      const rows = await database.documents
        .find(inScope<DocumentRow>(scope, { $and: [{ version: { $gt: 0 } }, afterPosition(after)] }))
        .project<Pick<DocumentRow, '_id' | 'created_at'>>({ created_at: 1 })
        .sort({ created_at: 1, _id: 1 })
        .limit(limit)
        .toArray();
      return rows.map(({ _id, created_at }) => ({ id: _id.toHexString(), createdAt: created_at }));
    },

    async openDocument(scope, id) {
      const _id = parseObjectId(id);
      const row = _id && (await database.documents.findOne(inScope<DocumentRow>(scope, { _id, version: { $gt: 0 } })));
      return row ? wholeDocument(database, scope, row) : null;
    },
  };
}

/** Documents made while the walk goes on come at its end; none comes twice. */
function afterPosition(after: WalkPosition | null): Filter<DocumentRow> {
  const _id = after && parseObjectId(after.id);
  if (after === null || _id === null) return {};
  return {
    // Says nothing new, and lets an index begin there.
    created_at: { $gte: after.createdAt },
    $or: [{ created_at: { $gt: after.createdAt } }, { created_at: after.createdAt, _id: { $gt: _id } }],
  };
}

function wholeDocument(database: Database, scope: Scope, { _id, version, ...rest }: DocumentRow): WholeDocument {
  return {
    document: documentRecord({ _id, version, ...rest }),

    textParts: translated(async function* () {
      for (let part = 0; ; part++) {
        const row = await database.texts.findOne({ document_id: _id, version, part });
        if (row === null) return;
        yield row.text;
      }
    }),

    chunks: translated(async function* (space: string) {
      const path = embeddingPath(space);
      // One query per page and no cursor in between: a slow reader would make the server hold the rest for it.
      for (let next = 0; ; ) {
        const rows = await database.chunks
          .find({ document_id: _id, ordinal: { $gte: next }, ...liveAt(version) })
          .project<WholeRow>({ ...FIELDS, [path]: 1 })
          .sort({ ordinal: 1 })
          .limit(CHUNKS_PER_QUERY)
          .toArray();
        for (const row of rows) yield wholeChunk(row, space);
        if (rows.length < CHUNKS_PER_QUERY) return;
        next = rows[rows.length - 1]!.ordinal + 1;
      }
    }),

    async isCurrent() {
      try {
        return (
          (await database.documents.findOne(inScope<DocumentRow>(scope, { _id, version }), {
            projection: { _id: 1 },
          })) !== null
        );
      } catch (error) {
        throw toStoreError(error);
      }
    },
  };
}

function translated<A extends unknown[], T>(
  read: (...args: A) => AsyncGenerator<T>,
): (...args: A) => AsyncGenerator<T> {
  return async function* (...args) {
    try {
      yield* read(...args);
    } catch (error) {
      throw toStoreError(error);
    }
  };
}

function wholeChunk(row: WholeRow, space: string): WholeChunk {
  return {
    ...placement(row),
    ...(row.embed_prefix !== undefined && { embedPrefix: row.embed_prefix }),
    embedHash: row.embed_hash,
    vector: row.embeddings?.[space]?.toFloat32Array() ?? null,
  };
}
