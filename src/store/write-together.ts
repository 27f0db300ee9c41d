import {
  type AnyBulkWriteOperation,
  type AnyClientBulkWriteModel,
  type ClientBulkWriteResult,
  type ClientSession,
  type Collection,
  type Document,
  type MongoClient,
  MongoClientBulkWriteError,
  MongoServerError,
} from 'mongodb';

/** Writes to one collection, in order. */
export interface WriteGroup {
  readonly collection: Collection;
  readonly operations: readonly AnyBulkWriteOperation[];
}

/** A group whose operations fit its collection's rows. */
export function writeGroup<T extends Document>(
  collection: Collection<T>,
  operations: readonly AnyBulkWriteOperation<T>[],
): WriteGroup {
  return { collection, operations } as unknown as WriteGroup;
}

/** Documents that the updates and the deletes of a group found. */
export interface GroupResult {
  readonly matchedCount: number;
  readonly deletedCount: number;
}

/**
 * Sends the groups in order, within the session's transaction; answers one result per group. Throws what the driver's own
 * `collection.bulkWrite` would throw, labels included, so that `withTransaction` knows what to try again.
 */
export type WriteTogether = (session: ClientSession, groups: readonly WriteGroup[]) => Promise<readonly GroupResult[]>;

/** Wire version of server 8.0, the first with a `bulkWrite` command over several collections. */
const BULK_WRITE_WIRE_VERSION = 25;

/** One command for all groups where the server has it, else one for each: most of a small write is its round trips. */
export function writeTogether(client: MongoClient, maxWireVersion: number): WriteTogether {
  return maxWireVersion >= BULK_WRITE_WIRE_VERSION
    ? (session, groups) => writeAtOnce(client, session, groups)
    : writeOneByOne;
}

async function writeAtOnce(
  client: MongoClient,
  session: ClientSession,
  groups: readonly WriteGroup[],
): Promise<readonly GroupResult[]> {
  const models = groups.flatMap(({ collection, operations }) =>
    operations.map((operation) => modelOf(collection.namespace, operation)),
  );
  if (models.length === 0) return groups.map(() => NOTHING);
  // Inserts find nothing. Where one group alone can, the totals are its own, and no result per row has to come over the wire.
  const finding = groups.filter(({ operations }) => operations.some((operation) => !('insertOne' in operation)));
  const verboseResults = finding.length > 1;
  try {
    const result = await client.bulkWrite(models, { session, ordered: true, verboseResults });
    if (verboseResults) return resultsByGroup(groups, result);
    const { matchedCount, deletedCount } = result;
    return groups.map((group) => (group === finding[0] ? { matchedCount, deletedCount } : NOTHING));
  } catch (error) {
    throw unwrapped(error);
  }
}

const NOTHING: GroupResult = { matchedCount: 0, deletedCount: 0 };

function modelOf(namespace: string, operation: AnyBulkWriteOperation): AnyClientBulkWriteModel<Document> {
  const [[name, fields]] = Object.entries(operation) as [[string, object]];
  return { name, namespace, ...fields } as AnyClientBulkWriteModel<Document>;
}

function resultsByGroup(
  groups: readonly WriteGroup[],
  { updateResults, deleteResults }: ClientBulkWriteResult,
): readonly GroupResult[] {
  let from = 0;
  return groups.map(({ operations }) => {
    let matchedCount = 0;
    let deletedCount = 0;
    for (let index = from; index < from + operations.length; index++) {
      matchedCount += updateResults?.get(index)?.matchedCount ?? 0;
      deletedCount += deleteResults?.get(index)?.deletedCount ?? 0;
    }
    from += operations.length;
    return { matchedCount, deletedCount };
  });
}

/** The driver wraps what the server said in an error without its code and labels. */
function unwrapped(error: unknown): unknown {
  if (!(error instanceof MongoClientBulkWriteError)) return error;
  if (error.cause instanceof MongoServerError) return error.cause;
  const [first] = error.writeErrors.values();
  return first === undefined ? error : new MongoServerError({ message: first.message, code: first.code });
}

const writeOneByOne: WriteTogether = async (session, groups) => {
  const results: GroupResult[] = [];
  for (const { collection, operations } of groups) {
    if (operations.length === 0) {
      results.push(NOTHING);
      continue;
    }
    const { matchedCount, deletedCount } = await collection.bulkWrite([...operations], { session, ordered: true });
    results.push({ matchedCount, deletedCount });
  }
  return results;
};
