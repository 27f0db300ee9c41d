import { setTimeout as sleep } from 'node:timers/promises';
import { type Document, MongoServerError, type ObjectId } from 'mongodb';
import type { Database } from './database.js';
import { parseObjectId } from './object-id.js';
import type { SpaceRecord } from './records.js';
import type { ChunkRow, DocumentRow } from './rows.js';
import { inScope } from './scope-filter.js';
import { embeddingPath, TEXT_INDEX, vectorIndexName } from './search-index-definitions.js';
import type { SearchIndexManager } from './search-indexes.js';
import type { Store } from './store.js';

/** Whoever asks for longer waits no longer. */
export const MAX_WAIT_MS = 10_000;
const FIRST_PAUSE_MS = 20;
const MAX_PAUSE_MS = 500;

type ProbedRow = Pick<ChunkRow, '_id' | 'owner' | 'embeddings'>;

/**
 * Asks the search indexes themselves: nothing reports how far an index lags. Index entries follow the order of commits,
 * and a version's chunks are one commit or follow each other, so its first and last new chunk stand for all.
 */
export function searchableWaiter(
  database: Database,
  indexes: Pick<SearchIndexManager, 'searchIndexState'>,
  activeSpace: () => Promise<SpaceRecord>,
): Pick<Store, 'waitUntilSearchable'> {
  return {
    async waitUntilSearchable(scope, documentId, version, { timeoutMs, signal }) {
      const id = parseObjectId(documentId);
      if (id === null) return false;
      const deadline = performance.now() + Math.min(timeoutMs, MAX_WAIT_MS);
      const space = (await activeSpace()).id;
      const rows = await firstAndLastNew(database, id, version, space);
      for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 1.5, MAX_PAUSE_MS)) {
        const document = await database.documents.findOne(inScope<DocumentRow>(scope, { _id: id }));
        // Gone, or already at a later version: this one will never be found.
        if (document === null || document.version !== version) return false;
        const isTold = document.attributes_pending === undefined;
        if (isTold && (await isIndexed(database, indexes, rows, space))) return true;
        const left = deadline - performance.now();
        if (left <= 0) return false;
        await sleep(Math.min(pause, left), undefined, { signal });
      }
    },
  };
}

async function isIndexed(
  database: Database,
  indexes: Pick<SearchIndexManager, 'searchIndexState'>,
  rows: readonly ProbedRow[],
  space: string,
): Promise<boolean> {
  // Nothing new: the version only took chunks away.
  if (rows.length === 0) return true;
  const vectorState = await indexes.searchIndexState(vectorIndexName(space));
  if (!vectorState.usable || !(await answersAll(database, rows, vectorProbe(rows, space)))) return false;
  const textState = await indexes.searchIndexState(TEXT_INDEX);
  // An index that is never searched (missing, or lacking what is needed) keeps nobody waiting; one being built does.
  if (textState.status === 'DOES_NOT_EXIST') return true;
  if (!textState.usable) return textState.queryable;
  return await answersAll(database, rows, textProbe(rows));
}

/** One row, two, or none. */
async function firstAndLastNew(
  database: Database,
  documentId: ObjectId,
  version: number,
  space: string,
): Promise<ProbedRow[]> {
  const at = async (order: 1 | -1): Promise<ProbedRow[]> =>
    await database.chunks
      .find({ document_id: documentId, from_version: version })
      .project<ProbedRow>({ owner: 1, [embeddingPath(space)]: 1 })
      .sort({ ordinal: order })
      .limit(1)
      .toArray();
  const [first] = await at(1);
  const [last] = await at(-1);
  if (first === undefined || last === undefined) return [];
  return first._id.equals(last._id) ? [first] : [first, last];
}

/** null: there is nothing to ask for. */
function vectorProbe(rows: readonly ProbedRow[], space: string): Document[] | null {
  const queryVector = rows[0]?.embeddings?.[space];
  if (queryVector === undefined) return null;
  return [
    {
      $vectorSearch: {
        index: vectorIndexName(space),
        path: embeddingPath(space),
        // Any direction would do: all that pass the filter are asked for.
        queryVector,
        exact: true,
        limit: rows.length,
        filter: { $and: [{ owner: rows[0]?.owner }, { _id: { $in: rows.map(({ _id }) => _id) } }] },
      },
    },
    { $project: { _id: 1 } },
  ];
}

function textProbe(rows: readonly ProbedRow[]): Document[] {
  const filter = [
    { equals: { path: 'owner', value: rows[0]?.owner } },
    { in: { path: '_id', value: rows.map(({ _id }) => _id) } },
  ];
  return [{ $search: { index: TEXT_INDEX, compound: { filter } } }, { $limit: rows.length }, { $project: { _id: 1 } }];
}

async function answersAll(
  database: Database,
  rows: readonly ProbedRow[],
  pipeline: Document[] | null,
): Promise<boolean> {
  if (pipeline === null) return true;
  try {
    return (await database.searchChunks.aggregate(pipeline).toArray()).length === rows.length;
  } catch (error) {
    // An index that is not ready says so by an error; what is wrong with it, listSearchIndexes tells.
    if (error instanceof MongoServerError) return false;
    throw error;
  }
}
