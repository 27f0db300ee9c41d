import { BSON, type ClientSession, type Collection, type Document, MongoServerError } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { servePocketAtlasHere } from '../../support/pocket-atlas.js';
import { RawConnection } from '../wire/raw-connection.js';

let atlas: Awaited<ReturnType<typeof servePocketAtlasHere>>;
let now = Date.now();
beforeAll(async () => {
  atlas = await servePocketAtlasHere({ now: () => now });
});
afterAll(() => atlas?.stop());

let names = 0;
async function collection(): Promise<Collection<{ _id: number | string; x?: number }>> {
  names += 1;
  const made = await atlas.db(`transactions${names}`).createCollection<{ _id: number | string; x?: number }>('c');
  await made.insertOne({ _id: 'first', x: 0 });
  return made;
}

async function withSession<T>(run: (session: ClientSession) => Promise<T>): Promise<T> {
  return atlas.client.withSession(run);
}

async function failure(work: Promise<unknown>): Promise<MongoServerError> {
  const error = await work.then(
    () => undefined,
    (thrown) => thrown,
  );
  expect(error).toBeInstanceOf(MongoServerError);
  return error as MongoServerError;
}

/** Commands of one transaction number, sent as they are. */
class RawTransaction {
  readonly lsid: { readonly id: BSON.UUID };
  number = 1;
  readonly #connection: RawConnection;
  readonly #db: string;

  constructor(connection: RawConnection, db: string, lsid = { id: new BSON.UUID() }) {
    this.lsid = lsid;
    this.#connection = connection;
    this.#db = db;
  }

  send(command: Document, first = false): Promise<Document> {
    const onAdmin = 'commitTransaction' in command || 'abortTransaction' in command;
    return this.#connection.command({
      ...command,
      lsid: this.lsid,
      txnNumber: BSON.Long.fromNumber(this.number),
      autocommit: false,
      ...(first ? { startTransaction: true } : {}),
      $db: onAdmin ? 'admin' : this.#db,
    });
  }
}

async function rawTransaction(
  target: Collection<never> | Collection<{ _id: number | string }>,
): Promise<RawTransaction> {
  return new RawTransaction(await RawConnection.open(atlas.uri), target.dbName);
}

describe('a transaction', () => {
  it('sees one moment and its own writes, and is seen by nobody before its commit', async () => {
    const c = await collection();
    await withSession(async (session) => {
      session.startTransaction();
      expect(await c.countDocuments({}, { session })).toBe(1);
      await c.insertOne({ _id: 'outside' });
      await c.insertOne({ _id: 'inside' }, { session });
      expect((await c.find({}, { session }).toArray()).map(({ _id }) => _id)).toEqual(['first', 'inside']);
      expect(await c.countDocuments({ _id: 'inside' })).toBe(0);
      await session.commitTransaction();
      expect(await c.countDocuments()).toBe(3);
    });
  });

  it('leaves nothing when it is aborted', async () => {
    const c = await collection();
    await withSession(async (session) => {
      session.startTransaction();
      await c.insertOne({ _id: 1 }, { session });
      await c.updateOne({ _id: 'first' }, { $set: { x: 9 } }, { session });
      await session.abortTransaction();
    });
    expect(await c.find().toArray()).toEqual([{ _id: 'first', x: 0 }]);
  });

  it('loses to the first writer at once, with the label to run it again', async () => {
    const c = await collection();
    await withSession((a) =>
      withSession(async (b) => {
        a.startTransaction();
        b.startTransaction();
        await c.updateOne({ _id: 'first' }, { $set: { x: 1 } }, { session: a });
        const error = await failure(c.updateOne({ _id: 'first' }, { $set: { x: 2 } }, { session: b }));
        expect(error).toMatchObject({ code: 112, codeName: 'WriteConflict' });
        expect(error.hasErrorLabel('TransientTransactionError')).toBe(true);
        await a.commitTransaction();
      }),
    );
    expect(await c.findOne({ _id: 'first' })).toEqual({ _id: 'first', x: 1 });
  });

  it('is over after any failed statement: nothing of it can be committed', async () => {
    const c = await collection();
    await withSession(async (session) => {
      session.startTransaction();
      await c.insertOne({ _id: 'before' }, { session });
      const error = await failure(c.insertOne({ _id: 'first' }, { session }));
      expect(error.code).toBe(11000);
      expect(error.hasErrorLabel('TransientTransactionError')).toBe(false);
      expect((await failure(session.commitTransaction())).code).toBe(251);
    });
    expect(await c.countDocuments()).toBe(1);
  });

  it('answers a repeated commit the same, and an abort after it with 256', async () => {
    const c = await collection();
    const raw = await rawTransaction(c);
    await raw.send({ insert: 'c', documents: [{ _id: 1 }] }, true);
    expect(await raw.send({ commitTransaction: 1 })).toMatchObject({ ok: 1 });
    expect(await raw.send({ commitTransaction: 1 })).toMatchObject({ ok: 1 });
    expect(await raw.send({ abortTransaction: 1 })).toMatchObject({
      ok: 0,
      code: 256,
      codeName: 'TransactionCommitted',
    });
    expect(await raw.send({ find: 'c' })).toMatchObject({ ok: 0, code: 256 });
    expect(await c.countDocuments({ _id: 1 })).toBe(1);
  });

  it('is unknown before its first statement and too old after a newer one', async () => {
    const c = await collection();
    const raw = await rawTransaction(c);
    const unknown = await raw.send({ find: 'c' });
    expect(unknown).toMatchObject({
      ok: 0,
      code: 251,
      codeName: 'NoSuchTransaction',
      errmsg:
        'Given transaction number 1 does not match any in-progress transactions. The active transaction number is -1',
      errorLabels: ['TransientTransactionError'],
    });
    raw.number = 5;
    expect(await raw.send({ find: 'c' }, true)).toMatchObject({ ok: 1 });
    raw.number = 4;
    expect(await raw.send({ find: 'c' }, true)).toMatchObject({ ok: 0, code: 225, codeName: 'TransactionTooOld' });
  });

  it('gives way to a newer one of its session', async () => {
    const c = await collection();
    const raw = await rawTransaction(c);
    await raw.send({ insert: 'c', documents: [{ _id: 'old' }] }, true);
    raw.number = 2;
    expect(await raw.send({ insert: 'c', documents: [{ _id: 'old' }] }, true)).toMatchObject({ ok: 1, n: 1 });
    expect(await raw.send({ commitTransaction: 1 })).toMatchObject({ ok: 1 });
    expect(await c.countDocuments({ _id: 'old' })).toBe(1);
  });

  it('ends by itself after 60 seconds, and lets go of what it held', async () => {
    const c = await collection();
    await withSession(async (session) => {
      session.startTransaction();
      await c.updateOne({ _id: 'first' }, { $set: { x: 1 } }, { session });
      now += 61_000;
      // Waits for the record that the transaction holds: it gets it when that has run out.
      await c.updateOne({ _id: 'first' }, { $set: { x: 2 } });
      const error = await failure(c.insertOne({ _id: 'late' }, { session }));
      expect(error.code).toBe(251);
      expect(error.hasErrorLabel('TransientTransactionError')).toBe(true);
    });
    expect(await c.find().toArray()).toEqual([{ _id: 'first', x: 2 }]);
  });

  it('of a client that is gone lets go of what it held within seconds, and of one that came back goes on', async () => {
    const c = await collection();
    const connections = [await RawConnection.open(atlas.uri), await RawConnection.open(atlas.uri)] as const;
    const update = { update: 'c', updates: [{ q: { _id: 'first' }, u: { $set: { x: 1 } } }] };
    await new RawTransaction(connections[0], c.dbName).send(update, true);
    const lasting = await rawTransaction(c);
    await lasting.send({ insert: 'c', documents: [{ _id: 'lasting' }] }, true);
    const moved = new RawTransaction(connections[1], c.dbName);
    await moved.send({ insert: 'c', documents: [{ _id: 'moved' }] }, true);
    const back = new RawTransaction(await RawConnection.open(atlas.uri), c.dbName, moved.lsid);
    await back.send({ find: 'c' });
    for (const connection of connections) connection.close();
    now += 6_000;
    // Waits for the record that the first one holds.
    await c.updateOne({ _id: 'first' }, { $set: { x: 2 } });
    expect(await lasting.send({ commitTransaction: 1 })).toMatchObject({ ok: 1 });
    expect(await back.send({ commitTransaction: 1 })).toMatchObject({ ok: 1 });
    expect((await c.find().sort({ _id: 1 }).toArray()).map(({ _id, x }) => [_id, x])).toEqual([
      ['first', 2],
      ['lasting', undefined],
      ['moved', undefined],
    ]);
  });

  it('ends with its session', async () => {
    const c = await collection();
    const session = atlas.client.startSession();
    session.startTransaction();
    await c.updateOne({ _id: 'first' }, { $set: { x: 1 } }, { session });
    await atlas.db('admin').command({ killSessions: [session.id] });
    await c.updateOne({ _id: 'first' }, { $set: { x: 2 } });
    expect((await failure(session.commitTransaction())).code).toBe(251);
    await session.endSession();
  });

  it('takes its cursors along', async () => {
    const c = await collection();
    await c.insertMany([{ _id: 1 }, { _id: 2 }, { _id: 3 }]);
    const raw = await rawTransaction(c);
    const { cursor } = await raw.send({ find: 'c', batchSize: 1 }, true);
    expect(await raw.send({ getMore: cursor.id, collection: 'c', batchSize: 1 })).toMatchObject({ ok: 1 });
    await raw.send({ commitTransaction: 1 });
    raw.number = 2;
    expect(await raw.send({ getMore: cursor.id, collection: 'c' }, true)).toMatchObject({ ok: 0, code: 43 });
  });

  it('makes a collection that exists only when it commits', async () => {
    const c = await collection();
    const db = atlas.db(c.dbName);
    await withSession(async (session) => {
      session.startTransaction();
      await db.createCollection('made', { session });
      await db.collection('implied').insertOne({ x: 1 }, { session });
      expect((await db.listCollections().toArray()).map(({ name }) => name)).toEqual(['c']);
      await session.commitTransaction();
    });
    expect((await db.listCollections().toArray()).map(({ name }) => name).sort()).toEqual(['c', 'implied', 'made']);
  });

  it.each([
    [
      { count: 'c' },
      "Cannot run 'count' in a multi-document transaction. Please see http://dochub.mongodb.org/core/transaction-count for a recommended alternative.",
    ],
    [{ listCollections: 1 }, "Cannot run 'listCollections' in a multi-document transaction."],
    [{ drop: 'c' }, "Cannot run 'drop' in a multi-document transaction."],
    [{ createSearchIndexes: 'c', indexes: [] }, "Cannot run 'createSearchIndexes' in a multi-document transaction."],
    [
      { aggregate: 'c', pipeline: [{ $out: 'd' }], cursor: {} },
      'Operation not permitted in transaction :: caused by :: Aggregation stage $out cannot run within a multi-document transaction.',
    ],
    [
      {
        aggregate: 'c',
        pipeline: [{ $vectorSearch: { index: 'i', path: 'v', queryVector: [1], limit: 1, exact: true } }],
        cursor: {},
      },
      'Operation not permitted in transaction :: caused by :: Aggregation stage $vectorSearch cannot run within a multi-document transaction.',
    ],
  ])('refuses %j', async (command, errmsg) => {
    const raw = await rawTransaction(await collection());
    expect(await raw.send(command, true)).toMatchObject({
      ok: 0,
      code: 263,
      codeName: 'OperationNotSupportedInTransaction',
      errmsg,
    });
  });

  it.each([
    [{ lsid: undefined }, 72, /requires a session ID/],
    [{ txnNumber: undefined }, 72, /'autocommit' field requires a transaction number/],
    [{ autocommit: true }, 72, /autocommit=true is not allowed/],
    [{ autocommit: undefined }, 72, /'startTransaction' field requires 'autocommit'/],
    [{ startTransaction: false }, 72, /startTransaction=false is not allowed/],
    [{ writeConcern: { w: 1 } }, 72, /writeConcern is not allowed within a multi-statement transaction/],
    [{ readConcern: { level: 'linearizable' } }, 72, /either 'local' \(default\), 'majority' or 'snapshot'/],
    [{ txnNumber: BSON.Long.fromNumber(-1) }, 72, /cannot be negative/],
    [{ lsid: { id: 'text' } }, 14, /lsid\.id/],
  ] as [Document, number, RegExp][])('refuses the fields %j', async (fields, code, message) => {
    const c = await collection();
    const connection = await RawConnection.open(atlas.uri);
    const command = {
      insert: 'c',
      documents: [{}],
      lsid: { id: new BSON.UUID() },
      txnNumber: BSON.Long.ONE,
      autocommit: false,
      startTransaction: true,
      $db: c.dbName,
      ...fields,
    };
    const given = Object.fromEntries(Object.entries(command).filter(([, value]) => value !== undefined));
    expect(await connection.command(given)).toMatchObject({ ok: 0, code, errmsg: expect.stringMatching(message) });
    connection.close();
  });

  it('keeps both or none of two inserts that are sent side by side', async () => {
    const c = await collection();
    const rounds = 40;
    for (let i = 0; i < rounds; i += 1) {
      await withSession((session) =>
        session.withTransaction(() =>
          Promise.all([c.insertOne({ _id: 2 * i }, { session }), c.insertOne({ _id: 2 * i + 1 }, { session })]),
        ),
      ).catch(() => {});
    }
    const kept = (await c.find({ _id: { $gte: 0 } }).toArray()).map(({ _id }) => Number(_id));
    const halves = kept.filter((id) => !kept.includes(id % 2 === 0 ? id + 1 : id - 1));
    expect(halves).toEqual([]);
  });

  it('does not lose an update when many add to one document', async () => {
    const c = await collection();
    const add = () =>
      withSession((session) =>
        session.withTransaction(async () => {
          const found = await c.findOne({ _id: 'first' }, { session });
          await c.updateOne({ _id: 'first' }, { $set: { x: found!.x! + 1 } }, { session });
        }),
      );
    await Promise.all(Array.from({ length: 12 }, add));
    expect((await c.findOne({ _id: 'first' }))!.x).toBe(12);
  });

  it('shows every reader one moment while money moves between accounts', async () => {
    const c = await collection();
    await c.deleteMany({});
    const [accounts, each] = [6, 100];
    await c.insertMany(Array.from({ length: accounts }, (_, _id) => ({ _id, x: each })));
    let transfers = 0;
    const transfer = async (seed: number): Promise<void> => {
      for (let i = 0; i < 8; i += 1) {
        const [from, to] = [(seed + i) % accounts, (seed * 3 + i * 5 + 1) % accounts];
        await withSession((session) =>
          session.withTransaction(async () => {
            await c.updateOne({ _id: from }, { $inc: { x: -7 } }, { session });
            await c.updateOne({ _id: to }, { $inc: { x: 7 } }, { session });
          }),
        );
        transfers += 1;
      }
    };
    const totals = new Set<number>();
    const read = async (): Promise<void> => {
      while (transfers < 32) {
        await withSession(async (session) => {
          session.startTransaction();
          // Two reads, with time for others in between: of the same moment all the same.
          const first = await c.find({ _id: { $lt: 3 } }, { session }).toArray();
          const second = await c.find({ _id: { $gte: 3 } }, { session }).toArray();
          totals.add([...first, ...second].reduce((sum, { x }) => sum + x!, 0));
          await session.commitTransaction();
        });
      }
    };
    await Promise.all([transfer(0), transfer(1), transfer(2), transfer(3), read(), read()]);
    expect([...totals]).toEqual([accounts * each]);
  });

  it('allows write skew, as snapshot isolation does', async () => {
    const c = await collection();
    await c.insertMany([
      { _id: 1, x: 1 },
      { _id: 2, x: 1 },
    ]);
    await withSession((a) =>
      withSession(async (b) => {
        a.startTransaction();
        b.startTransaction();
        expect(await c.countDocuments({ x: 1 }, { session: a })).toBe(2);
        expect(await c.countDocuments({ x: 1 }, { session: b })).toBe(2);
        await c.updateOne({ _id: 1 }, { $set: { x: 0 } }, { session: a });
        await c.updateOne({ _id: 2 }, { $set: { x: 0 } }, { session: b });
        await a.commitTransaction();
        await b.commitTransaction();
      }),
    );
    expect(await c.countDocuments({ x: 1 })).toBe(0);
  });
});

describe('a retryable write', () => {
  it('is done once, however often it comes, and answered the same', async () => {
    const c = await collection();
    const connection = await RawConnection.open(atlas.uri);
    const lsid = { id: new BSON.UUID() };
    const commands: Document[] = [
      { update: 'c', updates: [{ q: { _id: 'first' }, u: { $inc: { x: 1 } } }] },
      { insert: 'c', documents: [{ _id: 1 }, { _id: 2 }] },
      { findAndModify: 'c', query: { _id: 'first' }, update: { $inc: { x: 10 } }, new: true },
      { delete: 'c', deletes: [{ q: { _id: 1 }, limit: 1 }] },
      { update: 'c', updates: [{ q: { _id: 'new' }, u: { $inc: { x: 1 } }, upsert: true }] },
    ];
    for (const [index, command] of commands.entries()) {
      const send = () =>
        connection.command({ ...command, lsid, txnNumber: BSON.Long.fromNumber(index + 1), $db: c.dbName });
      const [first, second] = [await send(), await send()];
      const { operationTime: _a, $clusterTime: _b, ...comparable } = first;
      expect(second).toMatchObject(comparable);
      expect(first.ok).toBe(1);
    }
    expect(await c.find().sort({ _id: 1 }).toArray()).toEqual([
      { _id: 2 },
      { _id: 'first', x: 11 },
      { _id: 'new', x: 1 },
    ]);
    connection.close();
  });

  it('tries again only what had failed in an ordered command', async () => {
    const c = await collection();
    const connection = await RawConnection.open(atlas.uri);
    const command = {
      insert: 'c',
      documents: [{ _id: 1 }, { _id: 'first' }, { _id: 3 }],
      lsid: { id: new BSON.UUID() },
      txnNumber: BSON.Long.ONE,
      $db: c.dbName,
    };
    expect(await connection.command(command)).toMatchObject({ n: 1, writeErrors: [{ index: 1, code: 11000 }] });
    await c.deleteOne({ _id: 'first' });
    expect(await connection.command(command)).toMatchObject({ ok: 1, n: 3 });
    expect((await c.find().sort({ _id: 1 }).toArray()).map(({ _id }) => _id)).toEqual([1, 3, 'first']);
    connection.close();
  });

  it.each([
    [{ update: 'c', updates: [{ q: {}, u: { $set: { x: 1 } }, multi: true }] }, 72],
    [{ delete: 'c', deletes: [{ q: {}, limit: 0 }] }, 72],
    [{ find: 'c' }, 50768],
  ])('is refused for %j', async (command, code) => {
    const c = await collection();
    const connection = await RawConnection.open(atlas.uri);
    const answer = await connection.command({
      ...command,
      lsid: { id: new BSON.UUID() },
      txnNumber: BSON.Long.ONE,
      $db: c.dbName,
    });
    expect(answer).toMatchObject({ ok: 0, code });
    connection.close();
  });
});

describe('sessions', () => {
  it('are forgotten half an hour after their last use', async () => {
    const c = await collection();
    const raw = await rawTransaction(c);
    await raw.send({ find: 'c' }, true);
    await raw.send({ commitTransaction: 1 });
    now += 31 * 60_000;
    const known = async () => {
      const rows = await atlas
        .db('admin')
        .aggregate([{ $listLocalSessions: {} }])
        .toArray();
      return rows.map(({ _id }) => (_id.id as BSON.Binary).toString('hex'));
    };
    await expect.poll(known, { timeout: 5_000 }).not.toContain(raw.lsid.id.toString('hex').replaceAll('-', ''));
    // A number that was used before is free again.
    expect(await raw.send({ insert: 'c', documents: [{ _id: 'again' }] }, true)).toMatchObject({ ok: 1 });
  });
});
