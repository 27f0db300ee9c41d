import type { ObjectId } from 'mongodb';
import type { Database } from '../database.js';
import { parseObjectId } from '../object-id.js';
import { OWN_TEXT_FIELDS, ownText } from '../own-text.js';
import type { ChunkRow, DocumentRow } from '../rows.js';
import { embeddingPath } from '../search-index-definitions.js';
import type { LackingChunk, Store } from '../store.js';
import { isLive } from '../visibility.js';

export type ChunkSlices = Pick<Store, 'nextChunkSlice' | 'lackingChunks' | 'documentChunks'>;

/** Rows with texts per answer: by number, and by text because a chunk may be a whole document. */
const CHUNKS_PER_ANSWER = 256;
const CHARACTERS_PER_ANSWER = 4 * 1024 * 1024;

type TextRow = Pick<
  ChunkRow,
  | '_id'
  | 'document_id'
  | 'from_version'
  | 'to_version'
  | 'embed_hash'
  | 'embed_prefix'
  | 'text'
  | 'text_start'
  | 'headings'
>;
const TEXT_FIELDS = {
  document_id: 1,
  from_version: 1,
  to_version: 1,
  embed_hash: 1,
  embed_prefix: 1,
  ...OWN_TEXT_FIELDS,
  headings: 1,
} as const satisfies Record<Exclude<keyof TextRow, '_id'>, 1>;

/**
 * All chunks in the order of their ids, of all owners: a chunk keeps its id while its text stays, and one that comes later
 * has a later id or its vector already.
 */
export function chunkSlices(database: Database): ChunkSlices {
  return {
    async nextChunkSlice(_operator, after, size) {
      const rows = await database.chunks
        .find(range(after, null))
        .project<{ _id: ObjectId }>({ _id: 1 })
        .sort({ _id: 1 })
        .limit(size)
        .toArray();
      const [first] = rows;
      const last = rows.at(-1);
      if (first === undefined || last === undefined) return null;
      return { from: first._id.toHexString(), to: last._id.toHexString(), count: rows.length };
    },

    async lackingChunks(_operator, space, { after, to }) {
      const rows: TextRow[] = [];
      let characters = 0;
      const found = database.chunks
        .find({ ...range(after, to), [embeddingPath(space)]: { $exists: false } }, { batchSize: CHUNKS_PER_ANSWER })
        .project<TextRow>(TEXT_FIELDS)
        .sort({ _id: 1 });
      for await (const row of found) {
        rows.push(row);
        characters += row.text.length;
        if (rows.length >= CHUNKS_PER_ANSWER || characters >= CHARACTERS_PER_ANSWER) break;
      }
      const last = rows.at(-1);
      return {
        chunks: last === undefined ? [] : await liveOnes(database, rows),
        after: last === undefined ? null : last._id.toHexString(),
      };
    },

    async documentChunks(_operator, space, documentId) {
      const id = parseObjectId(documentId);
      if (id === null) return [];
      const path = embeddingPath(space);
      const rows = await database.chunks
        .aggregate<TextRow & { lacks: boolean }>([
          { $match: { document_id: id } },
          { $sort: { ordinal: 1 } },
          { $project: { ...TEXT_FIELDS, lacks: { $eq: [{ $type: `$${path}` }, 'missing'] } } },
        ])
        .toArray();
      const lacking = new Set(rows.flatMap(({ _id, lacks }) => (lacks ? [_id.toHexString()] : [])));
      return (await liveOnes(database, rows)).map((chunk) => ({ ...chunk, lacks: lacking.has(chunk.id) }));
    },
  };
}

function range(after: string | null, to: string | null): { _id?: { $gt?: ObjectId; $lte?: ObjectId } } {
  const from = after === null ? null : parseObjectId(after);
  const end = to === null ? null : parseObjectId(to);
  if (from === null && end === null) return {};
  return { _id: { ...(from && { $gt: from }), ...(end && { $lte: end }) } };
}

/**
 * What is superseded or belongs to no document is not worth an embedding, and what is staged becomes live only with its
 * vectors (space-fence.ts).
 */
async function liveOnes(database: Database, rows: readonly TextRow[]): Promise<LackingChunk[]> {
  const ids = [...new Map(rows.map((row) => [row.document_id.toHexString(), row.document_id])).values()];
  const documents = await database.documents
    .find({ _id: { $in: ids } })
    .project<Pick<DocumentRow, '_id' | 'owner' | 'title' | 'version' | 'chunking'>>({
      owner: 1,
      title: 1,
      version: 1,
      chunking: 1,
    })
    .toArray();
  const byId = new Map(documents.map((document) => [document._id.toHexString(), document]));
  return rows.flatMap((row): LackingChunk[] => {
    const document = byId.get(row.document_id.toHexString());
    if (document === undefined || !isLive(row, document.version)) return [];
    return [
      {
        id: row._id.toHexString(),
        embedHash: row.embed_hash,
        text: ownText(row),
        embedPrefix: row.embed_prefix ?? null,
        headings: row.headings,
        document: {
          id: document._id.toHexString(),
          owner: document.owner,
          title: document.title,
          contextual: document.chunking.contextual,
        },
      },
    ];
  });
}
