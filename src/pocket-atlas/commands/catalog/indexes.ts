import { encode } from '../../bson/encode.js';
import type { Doc } from '../../bson/values.js';
import { CommandError } from '../../errors.js';
import type { CollectionInfo } from '../../storage/engine.js';
import { integer, isDocument } from '../arguments.js';
import type { Command } from '../command.js';
import type { CommandContext } from '../context.js';
import { openCursor } from '../read/open-cursor.js';
import { oneChunk } from './collections.js';

export const createIndexes: Command = {
  help: 'Creates ordinary indexes.',
  fields: {
    commitQuorum: 'any',
    ignoreUnknownIndexOptions: 'boolish',
    indexes: { type: 'array', required: true },
    rawData: 'boolish',
    v: 'any',
  },
  inTransaction: true,
  writeConcern: true,
  run: async (context) => {
    const specs = context.body.indexes as Doc[];
    if (specs.length === 0) throw new CommandError(2, 'Must specify at least one index to create');
    for (const spec of specs) {
      if (!isDocument(spec)) throw new CommandError(14, 'The elements of the indexes array must be objects');
      if (!isDocument(spec.key) || Object.keys(spec.key).length === 0) {
        throw new CommandError(9, 'Index keys cannot be empty.');
      }
    }
    if (context.transaction !== undefined) return createInTransaction(context);
    const { engine } = context.server;
    const before = find(context);
    const collection = before ?? (await engine.createCollection(context.db, context.collection, {}));
    const numIndexesBefore = collection.indexes.length;
    let made = 0;
    for (const spec of specs) {
      context.checkInterrupted();
      const { created } = await engine.createIndex(find(context) ?? collection, withName(spec));
      if (created) made += 1;
    }
    const reply: Doc = {
      numIndexesBefore,
      numIndexesAfter: numIndexesBefore + made,
      createdCollectionAutomatically: before === undefined,
      commitQuorum: 'votingMembers',
    };
    if (made === 0) reply.note = 'all indexes already exist';
    return reply;
  },
};

/**
 * A server makes indexes in a transaction on collections that are new in it; here only indexes that exist already pass,
 * since the catalogue of indexes is outside of transactions.
 */
function createInTransaction(context: CommandContext): Doc {
  const collection = context.transaction!.collection(context.db, context.collection);
  const specs = context.body.indexes as Doc[];
  const missing = specs.find((spec) => !collection?.indexes.some(({ name }) => name === withName(spec).name));
  if (missing !== undefined) {
    throw new CommandError(
      263,
      `Pocket Atlas cannot create an index in a multi-document transaction. Create it before: ${context.namespace}`,
    );
  }
  const count = collection!.indexes.length;
  return { numIndexesBefore: count, numIndexesAfter: count, note: 'all indexes already exist' };
}

/** Drivers send a name; by hand it may be left out. */
function withName(spec: Doc): Doc {
  if (typeof spec.name === 'string') return spec;
  const name = Object.entries(spec.key as Doc)
    .map(([path, direction]) => `${path}_${String(direction)}`)
    .join('_');
  return { ...spec, name };
}

export const listIndexes: Command = {
  help: 'Lists the ordinary indexes of a collection.',
  fields: { cursor: 'object', includeBuildUUIDs: 'boolish', includeIndexBuildInfo: 'boolish', rawData: 'boolish' },
  run: (context) => {
    const { body, db, collection: name } = context;
    return openCursor(context, {
      namespace: context.namespace,
      batchSize: isDocument(body.cursor) ? integer(body.cursor, 'batchSize', { min: 0 }) : undefined,
      open: ({ view }) => {
        const collection = view.collection(db, name);
        if (collection === undefined) throw new CommandError(26, `ns does not exist: ${context.namespace}`);
        return oneChunk(collection.indexes.map((index) => indexRow(index, collection)));
      },
    });
  },
};

function indexRow({ spec, key, name }: CollectionInfo['indexes'][number], collection: CollectionInfo): Doc {
  const { clusteredIndex } = collection.options;
  if (name === '_id_' && isDocument(clusteredIndex)) return { ...clusteredIndex, clustered: true };
  const { v: _version, key: _key, name: _name, ...options } = spec;
  return { v: 2, key: { ...key }, name, ...options };
}

export const dropIndexes: Command = {
  help: 'Drops ordinary indexes.',
  fields: { index: 'any', rawData: 'boolish' },
  writeConcern: true,
  run: async (context) => {
    const { engine } = context.server;
    const collection = find(context);
    if (collection === undefined) throw new CommandError(26, `ns not found ${context.namespace}`);
    for (const name of droppedNames(collection, context.body.index)) {
      await engine.dropIndex(find(context) ?? collection, name);
    }
    return { nIndexesWas: collection.indexes.length };
  },
};

function droppedNames(collection: CollectionInfo, wanted: unknown): string[] {
  if (wanted === '*') return collection.indexes.map(({ name }) => name).filter((name) => name !== '_id_');
  return (Array.isArray(wanted) ? wanted : [wanted]).map((one) => {
    const index = collection.indexes.find(({ name, key }) =>
      isDocument(one) ? Buffer.compare(encode({ key: { ...key } }), encode({ key: one })) === 0 : name === one,
    );
    if (index === undefined) {
      const shown = typeof one === 'string' ? `name [${one}]` : `key: ${JSON.stringify(one)}`;
      throw new CommandError(27, `index not found with ${shown}`);
    }
    if (index.name === '_id_') throw new CommandError(72, 'cannot drop _id index');
    return index.name;
  });
}

function find(context: CommandContext): CollectionInfo | undefined {
  const view = context.server.engine.view();
  try {
    return view.collection(context.db, context.collection);
  } finally {
    view.release();
  }
}
