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
      for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 1.5, MAX_PAUSE_MS)) {
        const row = await database.documents.findOne(inScope<DocumentRow>(scope, { _id: id }));
        // Gone, or already at a later version: this one will never be found.
        if (row === null || row.version !== version) return false;
        if (
          row.attributes_pending === undefined &&
          (await isIndexed(database, indexes, await activeSpace(), id, version))
        )
          return true;
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
  space: SpaceRecord,
  documentId: ObjectId,
  version: number,
): Promise<boolean> {
  const probes = await firstAndLastNew(database, documentId, version, space.id);
  if (probes.length === 0) return true;
  const vectorState = await indexes.searchIndexState(vectorIndexName(space.id));
  if (!vectorState.usable) return false;
  for (const row of probes) if (!(await answers(database, vectorProbe(row, space.id)))) return false;

  const textState = await indexes.searchIndexState(TEXT_INDEX);
  // An index that is never searched (missing, or lacking what is needed) keeps nobody waiting; one being built does.
  if (textState.status === 'DOES_NOT_EXIST') return true;
  if (!textState.usable) return textState.queryable;
  for (const row of probes) if (!(await answers(database, textProbe(row)))) return false;
  return true;
}

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
  return [...(await at(1)), ...(await at(-1))];
}

function vectorProbe({ _id, owner, embeddings }: ProbedRow, space: string): Document[] | null {
  const queryVector = embeddings?.[space];
  // A zero vector is in no index by cosine, so there is nothing to wait for.
  if (queryVector === undefined || queryVector.toFloat32Array().every((value) => value === 0)) return null;
  return [
    {
      $vectorSearch: {
        index: vectorIndexName(space),
        path: embeddingPath(space),
        queryVector,
        exact: true,
        limit: 1,
        filter: { $and: [{ owner }, { _id }] },
      },
    },
    { $project: { _id: 1 } },
  ];
}

function textProbe({ _id, owner }: ProbedRow): Document[] {
  const equals = (path: string, value: unknown): Document => ({ equals: { path, value } });
  return [
    { $search: { index: TEXT_INDEX, compound: { filter: [equals('owner', owner), equals('_id', _id)] } } },
    { $limit: 1 },
    { $project: { _id: 1 } },
  ];
}

async function answers(database: Database, pipeline: Document[] | null): Promise<boolean> {
  if (pipeline === null) return true;
  try {
    return (await database.searchChunks.aggregate(pipeline).toArray()).length > 0;
  } catch (error) {
    // An index that is not ready says so by an error; what is wrong with it, listSearchIndexes tells.
    if (error instanceof MongoServerError) return false;
    throw error;
  }
}
