import { createHash } from 'node:crypto';
import type { Database } from './database.js';
import { ownText } from './own-text.js';
import type { ChunkRow, DocumentRow, TextRow } from './rows.js';
import { liveAt } from './visibility.js';

/**
 * Looks for documents that are not whole: what no crash may ever leave behind. One line per fault, with the document's
 * id. For tests and the torture run; reads everything, so it expects that nobody writes meanwhile.
 */
export async function findTornDocuments(database: Database): Promise<string[]> {
  const faults: string[] = [];
  const active = await database.spaces.findOne({ state: 'ACTIVE' });
  for await (const document of database.documents.find()) {
    const found = await faultsOf(database, document, active?._id ?? 's1');
    faults.push(...found.map((fault) => `${document._id.toHexString()} v${document.version}: ${fault}`));
  }
  return faults;
}

async function faultsOf(database: Database, document: DocumentRow, space: string): Promise<string[]> {
  if (document.version === 0) return [];
  const faults: string[] = [];
  const text = await textOf(database, document);
  if (text.length !== document.text_length)
    faults.push(`has ${text.length} characters of text, expected ${document.text_length}`);
  if (createHash('sha256').update(text).digest('hex') !== document.content_hash)
    faults.push('has another text than its hash');
  const chunks = await database.chunks
    .find({ document_id: document._id, ...liveAt(document.version) })
    .project<Omit<ChunkRow, 'embeddings'> & { embeddings: Record<string, unknown> }>({})
    .sort({ ordinal: 1 })
    .toArray();
  if (chunks.length !== document.chunk_count)
    faults.push(`has ${chunks.length} live chunks, expected ${document.chunk_count}`);
  for (const [index, chunk] of chunks.entries()) {
    if (chunk.ordinal !== index) faults.push(`chunk ${index} has ordinal ${chunk.ordinal}`);
    if (text.slice(chunk.start, chunk.end) !== ownText(chunk))
      faults.push(`chunk ${index} is not the text between its offsets`);
    if (chunk.owner !== document.owner) faults.push(`chunk ${index} has another owner`);
    if (chunk.embeddings[space] === undefined) faults.push(`chunk ${index} has no vector`);
  }
  return faults;
}

async function textOf(database: Database, document: DocumentRow): Promise<string> {
  const parts: TextRow[] = await database.texts
    .find({ document_id: document._id, version: document.version })
    .sort({ part: 1 })
    .toArray();
  return parts.map(({ text }) => text).join('');
}

/** Chunk rows whose document does not exist and which no cleanup row leads to: what a sweep would never find. */
export async function findOrphanedChunks(database: Database): Promise<number> {
  const [found] = await database.chunks
    .aggregate<{ count: number }>([
      { $group: { _id: '$document_id' } },
      { $lookup: { from: 'documents', localField: '_id', foreignField: '_id', as: 'document' } },
      { $lookup: { from: 'cleanups', localField: '_id', foreignField: '_id', as: 'cleanup' } },
      { $match: { document: { $size: 0 }, cleanup: { $size: 0 } } },
      { $count: 'count' },
    ])
    .toArray();
  return found?.count ?? 0;
}
