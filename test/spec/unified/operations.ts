import { setTimeout as delay } from 'node:timers/promises';
import type {
  AnyBulkWriteOperation,
  ClientBulkWriteModel,
  Collection,
  Db,
  Document,
  GridFSBucket,
  MongoClient,
} from 'mongodb';
import { concerns, type Entities } from './entities.js';
import type { EntityDescription, Fields, Operation, Value } from './format.js';

/** What an operation works with. `options` are its arguments without those that are parameters of their own. */
export interface OperationInput {
  readonly entities: Entities;
  /** For assertions, which no test observes. */
  readonly admin: MongoClient;
  readonly object: string;
  readonly args: Fields;
  /** Runs operations of a callback. */
  readonly run: (operations: readonly Operation[]) => Promise<void>;
  /** Is told of fail points, to switch them off after the test. */
  readonly failPointSet: (name: string) => void;
}

type Run = (input: OperationInput) => Promise<Value>;

/** Operations by name; one that is missing here makes its test fail, not pass. */
export const OPERATIONS: Readonly<Record<string, Run>> = {
  abortTransaction: ({ entities, object }) => entities.session(object).abortTransaction(),
  aggregate: async (input) => {
    const { pipeline, options } = take(input, 'pipeline');
    const target = databaseOrCollection(input);
    return target.aggregate(pipeline as Document[], options).toArray();
  },
  assertCollectionExists: (input) => assertListed(input, true),
  assertCollectionNotExists: (input) => assertListed(input, false),
  assertDifferentLsidOnLastTwoCommands: async (input) => {
    const [a, b] = lastTwoSessionIds(input);
    if (a === b) throw new Error('the last two commands have the same lsid');
  },
  assertIndexExists: (input) => assertIndex(input, true),
  assertIndexNotExists: (input) => assertIndex(input, false),
  assertNumberConnectionsCheckedOut: async ({ entities, args }) => {
    const { checkedOut } = entities.observed(String(args.client));
    if (checkedOut !== args.connections)
      throw new Error(`${checkedOut} connections are out, expected ${args.connections}`);
  },
  assertSameLsidOnLastTwoCommands: async (input) => {
    const [a, b] = lastTwoSessionIds(input);
    if (a !== b) throw new Error('the last two commands have different lsids');
  },
  assertSessionDirty: (input) => assertDirty(input, true),
  assertSessionNotDirty: (input) => assertDirty(input, false),
  assertSessionUnpinned: async ({ entities, args }) => {
    if (entities.session(String(args.session)).isPinned) throw new Error('the session is pinned');
  },
  bulkWrite: async (input) => {
    const { requests, options } = take(input, 'requests');
    return collection(input).bulkWrite(requests as AnyBulkWriteOperation[], options);
  },
  clientBulkWrite: async (input) => {
    const { models, options } = take(input, 'models');
    const result = await input.entities.client(input.object).bulkWrite((models as Fields[]).map(clientModel), options);
    return comparableBulkResult(result as unknown as Fields);
  },
  close: (input) => input.entities.cursor(input.object).close(),
  commitTransaction: ({ entities, object }) => entities.session(object).commitTransaction(),
  count: async (input) => {
    const { filter, options } = take(input, 'filter');
    return collection(input).count(filter as Document, options);
  },
  countDocuments: async (input) => {
    const { filter, options } = take(input, 'filter');
    return collection(input).countDocuments(filter as Document, options);
  },
  createChangeStream: async (input) => {
    const { pipeline, options } = take(input, 'pipeline');
    const watched = input.entities.entity(input.object) as Pick<Collection, 'watch'>;
    const stream = watched.watch(pipeline as Document[], options);
    try {
      await stream.tryNext();
    } finally {
      await stream.close();
    }
    return stream;
  },
  createCollection: async (input) => {
    const { collection: name, options } = take(input, 'collection');
    await input.entities.database(input.object).createCollection(String(name), options);
  },
  createCommandCursor: async (input) => {
    const { command, batchSize, maxTimeMS, comment, options } = take(
      input,
      'command',
      'commandName',
      'batchSize',
      'maxTimeMS',
      'comment',
      'cursorType',
    );
    const cursor = input.entities.database(input.object).runCursorCommand(command as Document, options);
    if (batchSize !== undefined) cursor.setBatchSize(Number(batchSize));
    if (maxTimeMS !== undefined) cursor.setMaxTimeMS(Number(maxTimeMS));
    if (comment !== undefined) cursor.setComment(comment);
    // The format wants the first command to have been run; this driver would wait for the first document.
    await (cursor as unknown as { cursorInit(): Promise<void> }).cursorInit();
    return cursor;
  },
  createEntities: ({ entities, args }) => entities.create(args.entities as EntityDescription[]),
  createIndex: async (input) => {
    const { keys, options } = take(input, 'keys');
    return collection(input).createIndex(keys as Record<string, 1>, options);
  },
  deleteMany: async (input) => {
    const { filter, options } = take(input, 'filter');
    return collection(input).deleteMany(filter as Document, options);
  },
  deleteOne: async (input) => {
    const { filter, options } = take(input, 'filter');
    return collection(input).deleteOne(filter as Document, options);
  },
  distinct: async (input) => {
    const { fieldName, filter, options } = take(input, 'fieldName', 'filter');
    return collection(input).distinct(String(fieldName), filter as Document, options);
  },
  downloadByName: async ({ entities, object, args }) => {
    const chunks: Buffer[] = [];
    const { filename, ...options } = args;
    const stream = (entities.entity(object) as GridFSBucket).openDownloadStreamByName(String(filename), options);
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  },
  dropCollection: async (input) => {
    const { collection: name, options } = take(input, 'collection');
    return input.entities.database(input.object).dropCollection(String(name), options);
  },
  dropIndex: async (input) => {
    const { name, options } = take(input, 'name');
    return collection(input).dropIndex(String(name), options);
  },
  dropSearchIndex: async (input) => collection(input).dropSearchIndex(String(input.args.name)),
  endSession: ({ entities, object }) => entities.session(object).endSession(),
  estimatedDocumentCount: async (input) => collection(input).estimatedDocumentCount(take(input).options),
  failPoint: async ({ entities, args, failPointSet }) => {
    const failPoint = args.failPoint as Document;
    failPointSet(String(failPoint.configureFailPoint));
    await entities.client(String(args.client)).db('admin').command(failPoint);
  },
  find: async (input) => {
    const { filter, options } = take(input, 'filter');
    return collection(input)
      .find(filter as Document, options)
      .toArray();
  },
  findOne: async (input) => {
    const { filter, options } = take(input, 'filter');
    return collection(input).findOne(filter as Document, options);
  },
  findOneAndDelete: async (input) => {
    const { filter, options } = take(input, 'filter');
    return collection(input).findOneAndDelete(filter as Document, options);
  },
  findOneAndReplace: async (input) => {
    const { filter, replacement, options } = take(input, 'filter', 'replacement');
    return collection(input).findOneAndReplace(filter as Document, replacement as Document, returning(options));
  },
  findOneAndUpdate: async (input) => {
    const { filter, update, options } = take(input, 'filter', 'update');
    return collection(input).findOneAndUpdate(filter as Document, update as Document, returning(options));
  },
  insertMany: async (input) => {
    const { documents, options } = take(input, 'documents');
    return collection(input).insertMany(documents as Document[], options);
  },
  insertOne: async (input) => {
    const { document, options } = take(input, 'document');
    // The driver puts an _id into what it is given: tests expect their own document untouched.
    return collection(input).insertOne({ ...(document as Document) }, options);
  },
  iterateOnce: async (input) => input.entities.cursor(input.object).tryNext(),
  iterateUntilDocumentOrError: async (input) => input.entities.cursor(input.object).next(),
  listCollectionNames: async (input) => {
    const { filter, options } = take(input, 'filter');
    const rows = await input.entities
      .database(input.object)
      .listCollections(filter as Document, { ...options, nameOnly: true })
      .toArray();
    return rows.map(({ name }) => name);
  },
  listCollectionObjects: (input) => listCollections(input),
  listCollections: (input) => listCollections(input),
  listDatabaseNames: async ({ entities, object, args }) => {
    const { databases } = await entities
      .client(object)
      .db()
      .admin()
      .listDatabases({ ...args, nameOnly: true });
    return databases.map(({ name }) => name);
  },
  listDatabaseObjects: (input) => listDatabases(input),
  listDatabases: (input) => listDatabases(input),
  listIndexes: async (input) => collection(input).listIndexes(take(input).options).toArray(),
  listIndexNames: async (input) => {
    const rows = await collection(input).listIndexes(take(input).options).toArray();
    return rows.map(({ name }) => name);
  },
  listSearchIndexes: async (input) => {
    const { name, aggregationOptions } = take(input, 'name', 'aggregationOptions');
    const target = collection(input);
    const options = aggregationOptions as Document | undefined;
    const cursor =
      name === undefined ? target.listSearchIndexes(options) : target.listSearchIndexes(String(name), options);
    return cursor.toArray();
  },
  mapReduce: async (input) => {
    // The helper is gone from the driver, the command is not gone from servers.
    const { s } = collection(input) as unknown as { s: { db: Db } };
    return s.db.command({ mapReduce: collection(input).collectionName, ...input.args });
  },
  modifyCollection: async (input) => {
    const { collection: name, options } = take(input, 'collection');
    return input.entities.database(input.object).command({ collMod: name, ...options });
  },
  replaceOne: async (input) => {
    const { filter, replacement, options } = take(input, 'filter', 'replacement');
    return collection(input).replaceOne(filter as Document, replacement as Document, options);
  },
  runCommand: async (input) => {
    const { command, options } = take(input, 'command', 'commandName');
    return input.entities.database(input.object).command(command as Document, options);
  },
  runCursorCommand: async (input) => {
    const cursor = (await OPERATIONS.createCommandCursor!(input)) as ReturnType<Db['runCursorCommand']>;
    return cursor.toArray();
  },
  startTransaction: async (input) => {
    input.entities.session(input.object).startTransaction(take(input).options);
  },
  targetedFailPoint: async ({ entities, args, failPointSet }) => {
    const failPoint = args.failPoint as Document;
    failPointSet(String(failPoint.configureFailPoint));
    const { client } = entities.session(String(args.session)) as unknown as { client: { db(name: string): Db } };
    await client.db('admin').command(failPoint);
  },
  updateMany: async (input) => {
    const { filter, update, options } = take(input, 'filter', 'update');
    return collection(input).updateMany(filter as Document, update as Document, options);
  },
  updateOne: async (input) => {
    const { filter, update, options } = take(input, 'filter', 'update');
    return collection(input).updateOne(filter as Document, update as Document, options);
  },
  wait: async ({ args }) => {
    await delay(Number(args.ms));
  },
  withTransaction: async (input) => {
    const { callback, options } = take(input, 'callback');
    await input.entities.session(input.object).withTransaction(() => input.run(callback as Operation[]), options);
  },
};

/** Separates parameters from options, in which a session's name becomes the session. */
function take<Name extends string>(
  input: OperationInput,
  ...names: readonly Name[]
): { [name in Name]?: Value } & { options: Fields } {
  const options: Fields = { ...input.args };
  const taken: Fields = {};
  for (const name of names) {
    taken[name] = options[name];
    delete options[name];
  }
  if (options.session !== undefined) options.session = input.entities.session(String(options.session));
  return { ...taken, options: concerns(options) } as { [name in Name]?: Value } & { options: Fields };
}

function collection({ entities, object }: OperationInput): Collection {
  return entities.collection(object);
}

function databaseOrCollection({ entities, object }: OperationInput): Pick<Collection, 'aggregate'> {
  return entities.entity(object) as Pick<Collection, 'aggregate'>;
}

function returning(options: Fields): Fields {
  const { returnDocument, ...rest } = options;
  return returnDocument === undefined ? rest : { ...rest, returnDocument: String(returnDocument).toLowerCase() };
}

function clientModel(model: Fields): ClientBulkWriteModel<Record<string, Document>> {
  const [name, fields] = Object.entries(model)[0]!;
  return { name, ...(fields as Fields) } as unknown as ClientBulkWriteModel<Record<string, Document>>;
}

/** Results of single updates also say `didUpsert` in this driver, which the format does not know. */
export function comparableBulkResult(result: Fields): Fields {
  const { updateResults } = result as { updateResults?: ReadonlyMap<number, Fields> };
  if (updateResults === undefined) return result;
  const comparable = [...updateResults].map(([index, { didUpsert: _, ...rest }]) => [String(index), rest]);
  return { ...result, updateResults: Object.fromEntries(comparable) };
}

async function listCollections(input: OperationInput): Promise<Value> {
  const { filter, options } = take(input, 'filter');
  return input.entities
    .database(input.object)
    .listCollections(filter as Document, options)
    .toArray();
}

async function listDatabases(input: OperationInput): Promise<Value> {
  const { databases } = await input.entities.client(input.object).db().admin().listDatabases(take(input).options);
  return databases;
}

async function assertListed(input: OperationInput, wanted: boolean): Promise<void> {
  const { databaseName, collectionName } = input.args;
  const found = await input.admin.db(String(databaseName)).listCollections({ name: collectionName }).toArray();
  if (found.length > 0 !== wanted) throw new Error(`collection ${collectionName} ${wanted ? 'is missing' : 'exists'}`);
}

async function assertIndex(input: OperationInput, wanted: boolean): Promise<void> {
  const { databaseName, collectionName, indexName } = input.args;
  const target = input.admin.db(String(databaseName)).collection(String(collectionName));
  const exists = await target.indexExists(String(indexName)).catch(() => false);
  if (exists !== wanted) throw new Error(`index ${indexName} ${wanted ? 'is missing' : 'exists'}`);
}

async function assertDirty(input: OperationInput, wanted: boolean): Promise<void> {
  const { isDirty } = input.entities.session(String(input.args.session)).serverSession as unknown as {
    isDirty: boolean;
  };
  if (isDirty !== wanted) throw new Error(`the session is ${isDirty ? '' : 'not '}dirty`);
}

function lastTwoSessionIds({ entities, args }: OperationInput): [string, string] {
  const commands = entities.observed(String(args.client)).commands.slice(-2);
  if (commands.length < 2) throw new Error('fewer than two commands were seen');
  return commands.map(({ command }) => JSON.stringify(command.lsid)) as [string, string];
}
