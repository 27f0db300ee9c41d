import { type BsonValue, type Doc, setMeta } from '../bson/values.js';
import { CommandError } from '../errors.js';
import { type NeededFields, partReader } from '../query/needed-fields.js';
import type { Batches, PipelineEnvironment, Stage } from '../query/query.js';
import type { CollectionInfo, Engine, RecordId } from '../storage/engine.js';
import type { Namespace } from './index-commands.js';
import { asCommandError } from './search-failure.js';
import type { SearchOutcome, SearchRequest, SearchStage } from './search-index.js';

/** Documents looked up and decoded between two turns of the event loop. */
const LOOKUP_BATCH = 100;

/** Answers a request with the index of that name; the manager's part. */
export type Answer = (
  collection: CollectionInfo,
  request: SearchRequest,
  context: { stage: string; checkInterrupted(): void; fetch(ids: readonly RecordId[]): (Doc | undefined)[] },
) => Promise<SearchOutcome>;

/** A source stage over search indexes: checks now, asks the index when it runs, then looks the records up by id. */
export function searchStage(
  engine: Engine,
  name: string,
  stage: SearchStage,
  spec: BsonValue,
  environment: PipelineEnvironment,
  answer: Answer,
): Stage {
  const { db, collection: collectionName } = collectionOf(name, environment);
  const checked = stage(spec);

  async function* run(): Batches {
    // Held until the first page is read: when nothing was written since, that page is read at the same snapshot.
    const view = engine.view();
    let done: (() => void) | undefined;
    try {
      const collection = view.collection(db, collectionName);
      if (collection === undefined) return;
      const fetch = (recordIds: readonly RecordId[]) => recordsNow(engine, collection, recordIds);
      const checkInterrupted = () => environment.checkInterrupted();
      const outcome = await namingTheNamespace(`${db}.${collectionName}`, () =>
        answer(collection, checked.parse(), { stage: name, checkInterrupted, fetch }),
      );
      if ('documents' in outcome) {
        view.release();
        if (outcome.documents.length > 0) yield outcome.documents;
        return;
      }
      done = outcome.done;
      const { hits, metaOf, metaReadsDocument, searchMeta } = outcome;
      const needed = metaReadsDocument ? undefined : environment.neededFields;
      // Of what is wanted, some may be gone by now: then the next page is asked for too.
      let to = Math.min(LOOKUP_BATCH, Math.max(1, environment.wantedDocuments ?? LOOKUP_BATCH));
      for (let from = 0; from < hits.length; [from, to] = [to, to + LOOKUP_BATCH]) {
        checkInterrupted();
        const page = hits.slice(from, to);
        const docs = recordsNow(
          engine,
          collection,
          page.map((hit) => hit.recordId),
          needed,
        );
        view.release();
        const found = page.flatMap((hit, i): Doc[] => {
          const doc = docs[i];
          if (doc === undefined) return [];
          const meta = metaOf(hit, doc);
          return [setMeta(doc, searchMeta === undefined ? meta : { ...meta, searchMeta })];
        });
        if (found.length > 0) yield found;
      }
    } finally {
      view.release();
      done?.();
    }
  }
  return { name, run };
}

/** The collection that a search stage reads; there are none in transactions and none without a collection. */
export function collectionOf(stage: string, { db, collection, inTransaction }: PipelineEnvironment): Namespace {
  if (inTransaction) {
    throw new CommandError(
      263,
      `Operation not permitted in transaction :: caused by :: Aggregation stage ${stage} cannot run within a ` +
        'multi-document transaction.',
    );
  }
  if (collection === null) {
    throw new CommandError(73, `{aggregate: 1} is not valid for '${stage}'; a collection is required.`);
  }
  return { db, collection };
}

async function namingTheNamespace<T>(namespace: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw asCommandError(error, namespace);
  }
}

/** Records as they are now, not as they were indexed: what an index says may be older (ATLAS.md §1.8). */
function recordsNow(
  engine: Engine,
  collection: CollectionInfo,
  recordIds: readonly RecordId[],
  needed?: NeededFields,
): (Doc | undefined)[] {
  const read = partReader(needed);
  const view = engine.view();
  try {
    return recordIds.map((recordId) => {
      const bytes = view.get(collection, recordId);
      return bytes === undefined ? undefined : read(bytes);
    });
  } finally {
    view.release();
  }
}
