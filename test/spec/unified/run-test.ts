import {
  MongoAPIError,
  MongoBulkWriteError,
  type MongoClient,
  MongoClientBulkWriteError,
  MongoError,
  MongoServerError,
} from 'mongodb';
import { Entities } from './entities.js';
import type {
  CollectionData,
  ExpectedError,
  ExpectedEvents,
  Fields,
  Operation,
  TestFile,
  UnifiedTest,
  Value,
} from './format.js';
import { assertMatch, assertSame } from './match.js';
import { comparableBulkResult, OPERATIONS, type OperationInput } from './operations.js';

/** Runs one test through the real driver; throws what is not as expected. `uri` must name a server without other users. */
export async function runTest(
  file: TestFile,
  test: UnifiedTest,
  setup: { readonly uri: string; readonly admin: MongoClient },
): Promise<void> {
  await prepare(setup.admin, file.initialData ?? []);
  const entities = new Entities(setup.uri);
  const failPoints = new Set<string>();
  const failPointSet = (name: string): void => {
    failPoints.add(name);
  };
  const run = async (operations: readonly Operation[], inCallback: boolean): Promise<void> => {
    for (const [index, operation] of operations.entries()) {
      try {
        const error = await runOperation(operation, {
          entities,
          admin: setup.admin,
          run: (inner) => run(inner, true),
          failPointSet,
        });
        // A callback hands on what its operations throw, expected or not.
        if (inCallback && error !== undefined) throw error;
      } catch (error) {
        if (error instanceof MongoError) throw error;
        throw new Error(`operation ${index} (${operation.name}): ${(error as Error).message}`, { cause: error });
      }
    }
  };
  try {
    await entities.create(file.createEntities ?? []);
    await run(test.operations, false);
    for (const expected of test.expectEvents ?? []) assertEvents(entities, expected);
    for (const data of test.outcome ?? []) await assertOutcome(setup.admin, data);
  } finally {
    for (const name of failPoints) await setup.admin.db('admin').command({ configureFailPoint: name, mode: 'off' });
    await entities.close();
  }
}

async function prepare(admin: MongoClient, data: readonly CollectionData[]): Promise<void> {
  // What an earlier test left open would hold records that this one is about to write.
  await admin.db('admin').command({ killAllSessions: [] });
  for (const { databaseName, collectionName, documents, createOptions } of data) {
    const db = admin.db(databaseName);
    await db.dropCollection(collectionName);
    await db.createCollection(collectionName, createOptions ?? {});
    if (documents.length > 0)
      await db.collection(collectionName).insertMany(documents.map((document) => ({ ...document })));
  }
}

/** Resolves with the error that was expected or is to be ignored; throws any other. */
async function runOperation(
  operation: Operation,
  setting: Omit<OperationInput, 'object' | 'args'>,
): Promise<Error | undefined> {
  const { entities } = setting;
  const {
    object,
    name,
    arguments: args = {},
    expectError,
    expectResult,
    ignoreResultAndError,
    saveResultAsEntity,
  } = operation;
  const implementation = OPERATIONS[name];
  if (implementation === undefined) throw new Error('this runner does not know the operation');
  let result: Value;
  try {
    result = await implementation({ ...setting, object, args });
  } catch (error) {
    if (ignoreResultAndError === true) return error as Error;
    if (expectError === undefined) throw error;
    assertError(entities, expectError, error as Error);
    return error as Error;
  }
  if (ignoreResultAndError === true) return undefined;
  if (expectError !== undefined) throw new Error(`succeeded where ${JSON.stringify(expectError)} was expected`);
  if (expectResult !== undefined) assertMatch(expectResult, result, entities);
  if (saveResultAsEntity !== undefined) entities.set(saveResultAsEntity, result);
  return undefined;
}

function assertError(entities: Entities, expected: ExpectedError, error: Error): void {
  const response = error as Error & { code?: number; codeName?: string; errorLabels?: string[] } & Fields;
  const fail = (what: string): never => {
    throw new Error(
      `${what}; got ${error.name} ${response.code ?? ''} ${error.message} ${JSON.stringify(response.errorLabels ?? [])}`,
      { cause: error },
    );
  };
  const fromServer = error instanceof MongoServerError || error instanceof MongoClientBulkWriteError;
  if (expected.isClientError !== undefined && expected.isClientError === fromServer) {
    fail(`expected ${expected.isClientError ? 'a client' : 'a server'} error`);
  }
  if (
    expected.errorContains !== undefined &&
    !allMessages(response).toLowerCase().includes(expected.errorContains.toLowerCase())
  ) {
    fail(`expected a message with '${expected.errorContains}'`);
  }
  if (expected.errorCode !== undefined && codeOf(response) !== expected.errorCode)
    fail(`expected code ${expected.errorCode}`);
  if (expected.errorCodeName !== undefined && codeNameOf(response) !== expected.errorCodeName) {
    fail(`expected code name ${expected.errorCodeName}`);
  }
  const hasLabel = (label: string): boolean => error instanceof MongoError && error.hasErrorLabel(label);
  for (const label of expected.errorLabelsContain ?? []) if (!hasLabel(label)) fail(`expected label ${label}`);
  for (const label of expected.errorLabelsOmit ?? []) if (hasLabel(label)) fail(`expected no label ${label}`);
  if (expected.errorResponse !== undefined) {
    const { errorResponse } = (response.cause as Fields | undefined) ?? response;
    assertMatch(expected.errorResponse, errorResponse, entities, 'errorResponse');
  }
  if (expected.expectResult !== undefined) {
    assertMatch(expected.expectResult, partialResultOf(error), entities, 'partial result');
  }
  if (expected.writeErrors !== undefined) {
    const writeErrors = writeErrorsOf(error);
    for (const [index, wanted] of Object.entries(expected.writeErrors)) {
      assertMatch(wanted, writeErrors.get(Number(index)), entities, `writeErrors.${index}`);
    }
    const unexpected = [...writeErrors.keys()].filter((index) => !(index in expected.writeErrors!));
    if (unexpected.length > 0) fail(`there are errors of further writes, ${unexpected.join(', ')}`);
  }
  if (expected.writeConcernErrors !== undefined) {
    assertMatch(expected.writeConcernErrors, response.writeConcernErrors, entities, 'writeConcernErrors');
  }
  if (expected.isClientError === true && error instanceof MongoAPIError && fromServer) fail('expected a client error');
}

function writeErrorsOf(error: Error): ReadonlyMap<number, Value> {
  if (error instanceof MongoClientBulkWriteError) return error.writeErrors;
  if (!(error instanceof MongoBulkWriteError)) return new Map();
  return new Map(([error.writeErrors].flat() as { index: number }[]).map((one) => [one.index, one]));
}

/** This driver always has a partial result, where the format means one that says something. */
function partialResultOf(error: Error): Value {
  const { result, partialResult } = error as unknown as { result?: Fields; partialResult?: Fields };
  if (partialResult === undefined) return result;
  const counts = ['insertedCount', 'matchedCount', 'modifiedCount', 'upsertedCount', 'deletedCount'];
  return counts.some((name) => partialResult[name] !== 0) ? comparableBulkResult(partialResult) : undefined;
}

function codeOf(error: Fields): Value {
  return error.code ?? (error.cause as Fields | undefined)?.code;
}

function codeNameOf(error: Fields): Value {
  return (
    error.codeName ?? (error.result as Fields | undefined)?.codeName ?? (error.cause as Fields | undefined)?.codeName
  );
}

function allMessages(error: Fields): string {
  return `${error.message} ${(error.cause as Fields | undefined)?.message ?? ''}`;
}

function assertEvents(entities: Entities, expected: ExpectedEvents): void {
  const observed = entities.observed(expected.client);
  const events = expected.eventType === 'cmap' ? observed.poolEvents : observed.commandEvents;
  const names = events
    .map(({ name, event }) => (event.commandName === undefined ? name : `${name}:${event.commandName}`))
    .join(', ');
  if (
    events.length < expected.events.length ||
    (expected.ignoreExtraEvents !== true && events.length > expected.events.length)
  ) {
    throw new Error(`expected ${expected.events.length} events, got ${events.length}: ${names}`);
  }
  for (const [index, wanted] of expected.events.entries()) {
    const [name, fields] = Object.entries(wanted)[0]!;
    const { name: actualName, event } = events[index]!;
    if (name !== actualName) throw new Error(`expected event ${index} to be ${name}, got ${names}`);
    for (const field of ['command', 'reply', 'commandName', 'databaseName'] as const) {
      if (fields[field] !== undefined)
        assertMatch(fields[field], event[field], entities, `event ${index} (${name}).${field}`);
    }
  }
}

async function assertOutcome(admin: MongoClient, data: CollectionData): Promise<void> {
  const documents = await admin
    .db(data.databaseName)
    .collection(data.collectionName)
    .find({}, { sort: { _id: 1 } })
    .toArray();
  assertSame(data.documents, documents, `outcome of ${data.collectionName}`);
}
