import type { BsonValue, Doc } from '../../bson/values.js';
import { fieldsOfFilter, type NeededFields, partReader, union } from '../../query/needed-fields.js';
import type { Batches, PipelineEnvironment, QueryVariables, Stage } from '../../query/query.js';
import type { CommandContext } from '../context.js';
import { compileMatching } from '../read/matching.js';
import { Pace } from '../read/pace.js';
import { RecordReader } from '../read/record-reader.js';
import type { ViewLease } from '../read/view-lease.js';
import { mergeSink } from './merge.js';
import { outSink } from './out.js';
import { serverSource } from './sources.js';

const BATCH_DOCUMENTS = 128;

/** What a pipeline of this command reads from and writes to: one view at a time for all of its stages. */
export function pipelineEnvironment(
  context: CommandContext,
  collection: string | null,
  lease: ViewLease,
  checkInterrupted: () => void,
): PipelineEnvironment {
  const { server, variables } = context;
  return {
    db: context.db,
    collection,
    variables,
    checkInterrupted,
    inTransaction: context.transaction !== undefined,
    read: (db, name, filter, needed) =>
      readCollection(
        lease,
        { db, name, filter, needed, hint: name === collection ? context.body.hint : undefined },
        variables,
        checkInterrupted,
      ),
    source: (stage, spec, environment): Stage | undefined =>
      serverSource(context, lease, stage, spec, environment) ?? server.search.source(stage, spec, environment),
    sink: (stage: string, spec: BsonValue, environment: PipelineEnvironment): Stage | undefined => {
      if (stage === '$out') return outSink(context, spec, environment);
      if (stage === '$merge') return mergeSink(context, spec, environment);
      return undefined;
    },
  };
}

/** The documents that match, in batches. */
export async function* readCollection(
  lease: ViewLease,
  from: {
    readonly db: string;
    readonly name: string;
    readonly filter: Doc;
    readonly hint: BsonValue;
    readonly needed?: NeededFields;
  },
  variables: QueryVariables,
  checkInterrupted: () => void,
): Batches & AsyncGenerator<Doc[], void, void> {
  const collection = lease.view.collection(from.db, from.name);
  if (collection === undefined) return;
  const matching = compileMatching(collection, { filter: from.filter, hint: from.hint, variables });
  const reader = new RecordReader(lease, collection, matching.plan);
  const read = partReader(union(from.needed, fieldsOfFilter(from.filter)));
  const pace = new Pace(checkInterrupted);
  let batch: Doc[] = [];
  try {
    for (let record = reader.next(); record !== undefined; record = reader.next()) {
      const doc = read(record.bytes);
      if (matching.matchesAll || matching.matches(doc)) batch.push(doc);
      if (batch.length >= BATCH_DOCUMENTS) {
        yield batch;
        batch = [];
      }
      if (pace.due) await pace.breathe();
    }
    if (batch.length > 0) yield batch;
  } finally {
    reader.close();
  }
}
