import { Binary } from 'bson';
import { equals } from '../../bson/compare.js';
import { encode } from '../../bson/encode.js';
import type { Doc } from '../../bson/values.js';
import { CommandError } from '../../errors.js';
import { compileFilter } from '../../query/filter.js';
import type { CollectionInfo } from '../../storage/engine.js';
import { checkStatement, collectionName, databaseName, integer, isDocument, truthy } from '../arguments.js';
import type { Command } from '../command.js';
import { openCursor } from '../read/open-cursor.js';

export const listCollections: Command = {
  help: 'Lists the collections of a database.',
  fields: {
    authorizedCollections: 'boolish',
    cursor: 'object',
    filter: 'object',
    includePendingDrops: 'boolish',
    nameOnly: 'boolish',
    rawData: 'boolish',
  },
  run: (context) => {
    const { body, db } = context;
    const nameOnly = truthy(body.nameOnly);
    const matches = compileFilter(isDocument(body.filter) ? body.filter : {}, context.variables);
    return openCursor(context, {
      namespace: `${db}.$cmd.listCollections`,
      batchSize: isDocument(body.cursor) ? integer(body.cursor, 'batchSize', { min: 0 }) : undefined,
      open: ({ view }) => {
        const rows = view
          .collections(db)
          .map(collectionRow)
          .filter((row) => matches(row))
          .map((row) => (nameOnly ? { name: row.name, type: row.type } : row));
        return oneChunk(rows);
      },
    });
  },
};

function collectionRow(collection: CollectionInfo): Doc {
  const row: Doc = {
    name: collection.name,
    type: 'collection',
    options: collection.options,
    info: { readOnly: false, uuid: new Binary(collection.uuid, Binary.SUBTYPE_UUID) },
  };
  // A clustered collection shows the same in its options.
  if (collection.options.clusteredIndex === undefined) row.idIndex = { v: 2, key: { _id: 1 }, name: '_id_' };
  return row;
}

export async function* oneChunk(rows: readonly Doc[]): AsyncGenerator<Uint8Array[], void, void> {
  if (rows.length > 0) yield rows.map((row) => encode(row));
}

export const create: Command = {
  help: 'Creates a collection.',
  fields: {
    autoIndexId: 'boolish',
    capped: 'refused',
    changeStreamPreAndPostImages: 'refused',
    clusteredIndex: 'any',
    collation: 'refused',
    encryptedFields: 'refused',
    expireAfterSeconds: 'refused',
    flags: 'refused',
    idIndex: 'object',
    indexOptionDefaults: 'refused',
    max: 'refused',
    pipeline: 'refused',
    size: 'refused',
    storageEngine: 'refused',
    timeseries: 'refused',
    validationAction: 'refused',
    validationLevel: 'refused',
    validator: 'refused',
    viewOn: 'refused',
  },
  inTransaction: true,
  writeConcern: true,
  run: async (context) => {
    const { db, collection: name, server, transaction } = context;
    const options = collectionOptions(context.body);
    if (transaction !== undefined) {
      if (transaction.collection(db, name) !== undefined) throw exists(db, name);
      transaction.createCollection(db, name, options);
      return {};
    }
    const view = server.engine.view();
    try {
      const existing = view.collection(db, name);
      // Creating it again with the same options is fine, as servers since 7.0 have it.
      if (existing !== undefined && equals(existing.options, options)) return {};
      if (existing !== undefined) throw exists(db, name);
    } finally {
      view.release();
    }
    await server.engine.createCollection(db, name, options);
    return {};
  },
};

/** A collection is clustered by `_id` either way: the option only changes how its index is shown. */
function collectionOptions(body: Doc): Doc {
  const { clusteredIndex } = body;
  if (clusteredIndex === undefined || clusteredIndex === false) return {};
  if (!isDocument(clusteredIndex)) throw new CommandError(14, "'clusteredIndex' must be a document");
  checkStatement('create.clusteredIndex', clusteredIndex, {
    key: { type: 'object', required: true },
    name: 'string',
    unique: 'bool',
    v: 'number',
  });
  const { key, name = '_id_', unique } = clusteredIndex;
  if (!equals(key, { _id: 1 }) || unique !== true) {
    throw new CommandError(197, 'The clusteredIndex option requires the key {_id: 1} and unique: true');
  }
  return { clusteredIndex: { v: 2, key, name, unique } };
}

function exists(db: string, name: string): CommandError {
  return new CommandError(48, `Collection ${db}.${name} already exists.`);
}

export const drop: Command = {
  help: 'Drops a collection with its indexes.',
  fields: {},
  writeConcern: true,
  run: async (context) => {
    const { db, collection: name, server } = context;
    const nIndexes = indexCount(context.server.engine.view(), db, name);
    const dropped = await server.engine.dropCollection(db, name);
    if (dropped) server.cursors.closeOfNamespace(`${db}.${name}`);
    // Dropping what is not there is fine, as servers since 7.0 have it.
    return dropped ? { nIndexesWas: nIndexes, ns: `${db}.${name}` } : {};
  },
};

function indexCount(
  view: { collection(db: string, name: string): CollectionInfo | undefined; release(): void },
  db: string,
  name: string,
): number {
  try {
    return view.collection(db, name)?.indexes.length ?? 0;
  } finally {
    view.release();
  }
}

export const renameCollection: Command = {
  help: 'Renames a collection.',
  fields: { dropTarget: 'boolish', stayTemp: 'boolish', to: { type: 'string', required: true } },
  adminOnly: true,
  writeConcern: true,
  run: async (context) => {
    const from = namespaceOf(context.body.renameCollection);
    const to = namespaceOf(context.body.to);
    if (from.db === to.db && from.name === to.name) {
      throw new CommandError(20, "Can't rename a collection to itself");
    }
    await context.server.engine.renameCollection(from.db, from.name, to.db, to.name, truthy(context.body.dropTarget));
    context.server.cursors.closeOfNamespace(`${from.db}.${from.name}`);
    context.server.cursors.closeOfNamespace(`${to.db}.${to.name}`);
    return {};
  },
};

function namespaceOf(value: unknown): { db: string; name: string } {
  if (typeof value !== 'string') throw new CommandError(14, 'A namespace must be a string');
  const dot = value.indexOf('.');
  if (dot < 0) throw new CommandError(73, `Invalid namespace specified '${value}'`);
  const db = databaseName(value.slice(0, dot));
  return { db, name: collectionName(db, value.slice(dot + 1)) };
}

export const collMod: Command = {
  help: 'Changes options of a collection: none are supported, so it only checks that the collection exists.',
  fields: {
    changeStreamPreAndPostImages: 'refused',
    index: 'any',
    validationAction: 'refused',
    validationLevel: 'refused',
    validator: 'refused',
    viewOn: 'refused',
  },
  writeConcern: true,
  run: (context) =>
    context.read((view) => {
      if (view.collection(context.db, context.collection) === undefined) {
        throw new CommandError(26, `ns does not exist: ${context.namespace}`);
      }
      if (context.body.index !== undefined) {
        checkStatement('collMod', { index: context.body.index }, { index: 'refused' });
      }
      return {};
    }),
};
