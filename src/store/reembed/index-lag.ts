import { type Document, MongoServerError, ObjectId } from 'mongodb';
import { toBinary } from '../chunk-rows.js';
import type { Clock } from '../clock.js';
import type { Database } from '../database.js';
import type { SearchIndexStatus } from '../records.js';
import type { ChunkRow, SpaceRow } from '../rows.js';
import { embeddingPath, TEXT_INDEX, vectorIndexName } from '../search-index-definitions.js';
import type { SearchIndexManager } from '../search-indexes.js';
import { noSuchSpace } from '../space-changes.js';
import type { IndexLag } from '../store.js';

/** No credentials have this owner: owners are printable. */
const NOBODY = '\u0001';

/** How long a call waits for the index to return the last row. */
const WAIT_MS = 2_000;
const PAUSE_MS = 25;
const PASSING: ReadonlySet<SearchIndexStatus> = new Set<SearchIndexStatus>(['PENDING', 'BUILDING', 'STALE', 'READY']);

/**
 * Whether a space's index returns all that is stored. No server reports how far an index lags, but entries follow the order
 * of commits: a row that is stored now and then found by the index shows that everything before it is there. The row
 * belongs to no document and no owner, so no search ever returns it; it is deleted at once, after a crash by the sweeper.
 */
export async function indexLag(
  database: Database,
  indexes: Pick<SearchIndexManager, 'searchIndexState'>,
  clock: Clock,
  spaceId: string,
): Promise<IndexLag | null> {
  const space = await database.spaces.findOne({ _id: spaceId });
  if (space === null) throw noSuchSpace();
  const name = vectorIndexName(spaceId);
  const state = await indexes.searchIndexState(name, { fresh: true });
  if (!state.usable) {
    const problems = state.problems.length === 0 ? '' : `: ${state.problems.join('; ')}`;
    return {
      reason: `the search index ${name} is ${state.status}${problems}`,
      isPassing: PASSING.has(state.status) && state.problems.length === 0,
    };
  }

  const isFound = await isLastRowFound(database, clock, space, [vectorProbe(spaceId)]);
  return isFound ? null : { reason: `the search index ${name} does not return the latest chunks yet`, isPassing: true };
}

/** Likewise for what searches use now, text index included: the reason to wait, null when there is none. */
export async function searchLag(
  database: Database,
  indexes: Pick<SearchIndexManager, 'searchIndexState'>,
  clock: Clock,
): Promise<string | null> {
  const space = await database.spaces.findOne({ state: 'ACTIVE' });
  if (space === null) return null;
  const probes: Probe[] = [];
  for (const [name, probe] of [
    [vectorIndexName(space._id), vectorProbe(space._id)],
    [TEXT_INDEX, textProbe],
  ] as const) {
    const state = await indexes.searchIndexState(name, { fresh: true });
    // What is missing or broken is not searched, so nobody need wait for it.
    if (!PASSING.has(state.status)) continue;
    if (!state.usable || state.pendingKeys.size > 0) {
      if (state.status === 'READY') continue;
      return `the search index ${name} is ${state.status}`;
    }
    probes.push(probe);
  }
  return (await isLastRowFound(database, clock, space, probes))
    ? null
    : 'a search index does not return the latest chunks yet';
}

type Probe = (row: ChunkRow) => Document[];

/** Stores a row, and waits a little until each of the probes returns it. */
async function isLastRowFound(
  database: Database,
  clock: Clock,
  space: SpaceRow,
  probes: readonly Probe[],
): Promise<boolean> {
  if (probes.length === 0) return true;
  const direction = new Float32Array(space.dimensions);
  direction[0] = 1;
  const last = lastRow(space._id, toBinary(direction), clock());
  await database.cleanups.insertOne({ _id: last.document_id, owner: NOBODY, attempt: null, at: clock() });
  await database.chunks.insertOne(last);
  try {
    for (const until = performance.now() + WAIT_MS; ; ) {
      const found = await Promise.all(probes.map((probe) => isFound(database, probe(last))));
      if (found.every(Boolean)) return true;
      if (performance.now() > until) return false;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  } finally {
    await database.chunks.deleteOne({ _id: last._id });
    await database.cleanups.deleteOne({ _id: last.document_id });
  }
}

function lastRow(space: string, direction: ReturnType<typeof toBinary>, now: Date): ChunkRow {
  return {
    _id: new ObjectId(),
    document_id: new ObjectId(),
    owner: NOBODY,
    agent_ids: [],
    metadata: {},
    from_version: 1,
    ordinal: 0,
    start: 0,
    end: 0,
    page: null,
    headings: [],
    language: null,
    token_count: 0,
    text: '',
    embed_hash: '',
    written_at: now,
    embeddings: { [space]: direction },
  };
}

function vectorProbe(space: string): Probe {
  return (row) => [
    {
      $vectorSearch: {
        index: vectorIndexName(space),
        path: embeddingPath(space),
        queryVector: row.embeddings[space],
        exact: true,
        limit: 1,
        filter: { $and: [{ owner: row.owner }, { _id: row._id }] },
      },
    },
  ];
}

const textProbe: Probe = (row) => {
  const filter = [{ equals: { path: 'owner', value: row.owner } }, { equals: { path: '_id', value: row._id } }];
  return [{ $search: { index: TEXT_INDEX, compound: { filter } } }, { $limit: 1 }];
};

async function isFound(database: Database, stages: readonly Document[]): Promise<boolean> {
  try {
    const rows = await database.searchChunks.aggregate([...stages, { $project: { _id: 1 } }]).toArray();
    return rows.length > 0;
  } catch (error) {
    // An index that is not ready says so by an error.
    if (error instanceof MongoServerError) return false;
    throw error;
  }
}
