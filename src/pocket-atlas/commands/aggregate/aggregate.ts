import { encode } from '../../bson/encode.js';
import type { Doc } from '../../bson/values.js';
import { CommandError } from '../../errors.js';
import { compilePipeline } from '../../query/pipeline.js';
import type { Batches } from '../../query/query.js';
import { integer, isDocument, truthy } from '../arguments.js';
import type { Command } from '../command.js';
import { FIRST_BATCH_DOCUMENTS, openCursor } from '../read/open-cursor.js';
import { pipelineEnvironment } from './environment.js';
import { explainPipeline } from './explain-pipeline.js';

const SINKS = new Set(['$out', '$merge']);

export const aggregate: Command = {
  help: 'Runs an aggregation pipeline over a collection or a database.',
  fields: {
    allowDiskUse: 'boolish',
    bypassDocumentValidation: 'boolish',
    collation: 'refused',
    cursor: 'object',
    explain: 'boolish',
    hint: 'objectOrString',
    let: 'object',
    pipeline: { type: 'array', required: true },
    rawData: 'boolish',
  },
  inTransaction: true,
  readConcern: true,
  writeConcern: true,
  run: async (context) => {
    const { body, db } = context;
    const stages = readStages(body.pipeline);
    const isDatabaseLevel = body.aggregate === 1;
    const collection = isDatabaseLevel ? null : context.collection;
    if (truthy(body.explain)) return explainPipeline(context, collection, stages);
    if (!isDocument(body.cursor)) {
      throw new CommandError(9, "The 'cursor' option is required, except for aggregate with the explain argument");
    }
    const last = Object.keys(stages[stages.length - 1] ?? {})[0];
    const writes = last !== undefined && SINKS.has(last);
    if (writes && context.transaction !== undefined) {
      throw new CommandError(
        263,
        `Operation not permitted in transaction :: caused by :: Aggregation stage ${last} cannot run within a multi-document transaction.`,
      );
    }
    return openCursor(context, {
      namespace: collection === null ? `${db}.$cmd.aggregate` : context.namespace,
      // A pipeline that writes runs to its end whatever batch was asked for.
      batchSize: writes ? FIRST_BATCH_DOCUMENTS : integer(body.cursor, 'batchSize', { min: 0 }),
      open: (lease, checkInterrupted) =>
        encoded(compilePipeline(stages, pipelineEnvironment(context, collection, lease, checkInterrupted)).run()),
    });
  },
};

/** @throws CommandError 14 or 40323 for what is no list of stages. */
export function readStages(pipeline: unknown): Doc[] {
  const stages = pipeline as Doc[];
  for (const stage of stages) {
    if (!isDocument(stage)) throw new CommandError(14, "Each element of the 'pipeline' array must be an object");
    if (Object.keys(stage).length !== 1) {
      throw new CommandError(40323, 'A pipeline stage specification object must contain exactly one field.');
    }
  }
  return stages;
}

async function* encoded(batches: Batches): AsyncGenerator<Uint8Array[], void, void> {
  for await (const batch of batches) if (batch.length > 0) yield batch.map((doc) => encode(doc));
}
