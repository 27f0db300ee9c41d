import { randomUUID } from 'node:crypto';
import { ObjectId } from 'bson';
import { checkDocumentSize, encode } from '../../bson/encode.js';
import type { BsonValue, Doc } from '../../bson/values.js';
import { CommandError } from '../../errors.js';
import type { Batches, PipelineEnvironment, Stage } from '../../query/query.js';
import { checkStatement, collectionName, databaseName, isDocument } from '../arguments.js';
import type { CommandContext } from '../context.js';

/**
 * `$out`: the result takes the place of a collection, whole or not at all. It is written beside the old one and renamed
 * over it at the end; indexes of the old one are kept. Source: MongoDB manual, "$out".
 */
export function outSink(context: CommandContext, spec: BsonValue, environment: PipelineEnvironment): Stage {
  const target = readTarget(spec, environment.db);
  const { engine } = context.server;
  return {
    name: '$out',
    run: async function* (input: Batches): Batches {
      const temporary = `tmp.agg_out.${randomUUID()}`;
      let collection = await engine.createCollection(target.db, temporary, {});
      try {
        for (const spec of indexesOf(context, target)) {
          await engine.createIndex(collection, spec);
          collection = current(context, target.db, temporary);
        }
        for await (const batch of input) {
          environment.checkInterrupted();
          await engine.write((transaction) => {
            for (const doc of batch) transaction.insert(collection, storable(doc));
          });
        }
        await engine.renameCollection(target.db, temporary, target.db, target.name, true);
        context.server.cursors.closeOfNamespace(`${target.db}.${target.name}`);
      } catch (error) {
        await engine.dropCollection(target.db, temporary);
        throw error;
      }
    },
  };
}

/** A document as it is stored: with an `_id`, which comes first. */
export function storable(doc: Doc): Uint8Array {
  const { _id = new ObjectId(), ...rest } = doc;
  const bytes = encode({ _id, ...rest });
  checkDocumentSize(bytes);
  return bytes;
}

function readTarget(spec: BsonValue, db: string): { db: string; name: string } {
  if (typeof spec === 'string') return { db, name: collectionName(db, spec) };
  if (!isDocument(spec)) {
    throw new CommandError(16990, `$out only supports a string or object argument, but found ${typeof spec}`);
  }
  checkStatement('$out', spec, {
    coll: { type: 'string', required: true },
    db: { type: 'string', required: true },
    timeseries: 'refused',
  });
  const targetDb = databaseName(spec.db);
  return { db: targetDb, name: collectionName(targetDb, spec.coll) };
}

function indexesOf(context: CommandContext, target: { db: string; name: string }): Doc[] {
  const view = context.server.engine.view();
  try {
    const existing = view.collection(target.db, target.name);
    return (existing?.indexes ?? []).filter(({ name }) => name !== '_id_').map(({ spec }) => spec);
  } finally {
    view.release();
  }
}

function current(context: CommandContext, db: string, name: string) {
  const view = context.server.engine.view();
  try {
    const collection = view.collection(db, name);
    if (collection === undefined) throw new CommandError(26, `Collection ${db}.${name} vanished during $out`);
    return collection;
  } finally {
    view.release();
  }
}
