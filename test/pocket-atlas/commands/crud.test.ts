import { BSON, type Db, type Document, MongoBulkWriteError, MongoServerError } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { servePocketAtlasHere } from '../../support/pocket-atlas.js';

let atlas: Awaited<ReturnType<typeof servePocketAtlasHere>>;
let clock: () => number = Date.now;
beforeAll(async () => {
  atlas = await servePocketAtlasHere({ now: () => clock() });
});
afterAll(() => atlas?.stop());

let names = 0;
function freshDb(): Db {
  names += 1;
  return atlas.db(`crud${names}`);
}

async function failure(work: Promise<unknown>): Promise<MongoServerError> {
  return work.then(
    () => {
      throw new Error('it succeeded');
    },
    (error) => error,
  );
}

describe('stored documents', () => {
  it('come back with every BSON type as it was', async () => {
    const c = freshDb().collection('c');
    const { Binary, Code, Decimal128, Double, Int32, Long, MaxKey, MinKey, ObjectId, Timestamp, BSONRegExp } = BSON;
    const document = {
      _id: new ObjectId(),
      double: new Double(3),
      int: new Int32(3),
      long: Long.fromString('9007199254740993'),
      decimal: Decimal128.fromString('1.10'),
      text: 'grüße 🎉',
      binary: new Binary(Buffer.from([1, 2, 3]), 9),
      date: new Date(1),
      regex: new BSONRegExp('a+', 'i'),
      timestamp: new Timestamp({ t: 1, i: 2 }),
      code: new Code('f()'),
      min: new MinKey(),
      max: new MaxKey(),
      nested: [{ a: null }, []],
    };
    await c.insertOne(document);
    const raw = await c.find({}, { raw: true }).toArray();
    expect(Buffer.from(raw[0] as unknown as Uint8Array).toString('hex')).toBe(
      Buffer.from(BSON.serialize(document)).toString('hex'),
    );
  });

  it('have their _id first, and get one where it is missing', async () => {
    const db = freshDb();
    await db.command({ insert: 'c', documents: [{ a: 1, _id: 7 }, { b: 2 }] });
    const [first, second] = await db.collection('c').find().toArray();
    expect(Object.keys(first!)).toEqual(['_id', 'a']);
    expect(second).toMatchObject({ _id: expect.any(BSON.ObjectId), b: 2 });
    for (const _id of [[1], /x/, { $a: 1 }]) {
      const reply = await db.command({ insert: 'c', documents: [{ _id }] });
      expect(reply).toMatchObject({ n: 0, writeErrors: [{ index: 0 }] });
    }
  });
});

describe('many writes in one command', () => {
  it('stop at the first failure when they are ordered, and go on when not', async () => {
    const db = freshDb();
    const documents = [{ _id: 1 }, { _id: 1 }, { _id: 2 }] as never[];
    const ordered = (await failure(db.collection('ordered').insertMany(documents))) as unknown as MongoBulkWriteError;
    expect(ordered).toBeInstanceOf(MongoBulkWriteError);
    expect(ordered.insertedCount).toBe(1);
    const unordered = (await failure(
      db.collection('unordered').insertMany(documents, { ordered: false }),
    )) as unknown as MongoBulkWriteError;
    expect(unordered.insertedCount).toBe(2);
    expect([unordered.writeErrors].flat()[0]).toMatchObject({ index: 1, code: 11000 });
  });

  it('say which key was there already', async () => {
    const c = freshDb().collection('c');
    await c.createIndex({ name: 1 }, { unique: true });
    await c.insertOne({ name: 'x' });
    expect(await failure(c.insertOne({ name: 'x' }))).toMatchObject({
      code: 11000,
      keyPattern: { name: 1 },
      keyValue: { name: 'x' },
      message: `E11000 duplicate key error collection: ${c.namespace} index: name_1 dup key: { name: "x" }`,
    });
    expect(await failure(c.findOneAndUpdate({ name: 'y' }, { $set: { name: 'x' } }, { upsert: true }))).toMatchObject({
      code: 11000,
      codeName: 'DuplicateKey',
      keyValue: { name: 'x' },
    });
  });

  it('change and delete more records than one commit takes', async () => {
    const c = freshDb().collection<{ _id: number; x?: number }>('c');
    await c.insertMany(Array.from({ length: 2_500 }, (_, _id) => ({ _id })));
    expect(await c.updateMany({ _id: { $lt: 2_400 } }, { $set: { x: 1 } })).toMatchObject({
      matchedCount: 2_400,
      modifiedCount: 2_400,
    });
    expect(await c.updateMany({}, { $set: { x: 1 } })).toMatchObject({ matchedCount: 2_500, modifiedCount: 100 });
    // A changed _id order must not make an update meet a record twice.
    await c.createIndex({ x: 1 });
    expect(await c.updateMany({ x: { $gt: 0 } }, { $inc: { x: 1 } })).toMatchObject({ modifiedCount: 2_500 });
    expect(await c.countDocuments({ x: 2 })).toBe(2_500);
    expect(await c.deleteMany({ x: 2 })).toMatchObject({ deletedCount: 2_500 });
  });
});

describe('an upsert', () => {
  it('of one key by many at the same time makes one document and fails for none', async () => {
    const c = freshDb().collection('c');
    await c.createIndex({ key: 1 }, { unique: true });
    const upserts = Array.from({ length: 20 }, (_, i) =>
      i % 2 === 0
        ? c.updateOne({ key: 'k' }, { $inc: { n: 1 } }, { upsert: true })
        : c.findOneAndUpdate({ key: { $eq: 'k' } }, { $inc: { n: 1 } }, { upsert: true }),
    );
    await Promise.all(upserts);
    expect(await c.find({}, { projection: { _id: 0 } }).toArray()).toEqual([{ key: 'k', n: 20 }]);
  });

  it('that can never match what is in its way fails once and for all', async () => {
    const c = freshDb().collection('c');
    await c.createIndex({ key: 1 }, { unique: true });
    await c.insertOne({ key: [1, 2] });
    expect((await failure(c.updateOne({ key: [1] }, { $set: { n: 1 } }, { upsert: true }))).code).toBe(11000);
  });
});

describe('findAndModify', () => {
  it('answers the document before or after, shaped by its projection', async () => {
    const c = freshDb().collection<{ _id: number; a?: number; b?: number }>('c');
    await c.insertMany([
      { _id: 1, a: 1, b: 5 },
      { _id: 2, a: 2, b: 4 },
    ]);
    expect(await c.findOneAndUpdate({}, { $inc: { a: 10 } }, { sort: { b: 1 }, projection: { a: 1, _id: 0 } })).toEqual(
      { a: 2 },
    );
    expect(
      await c.findOneAndUpdate({ _id: 2 }, [{ $set: { a: { $add: ['$a', 1] } } }], { returnDocument: 'after' }),
    ).toMatchObject({ a: 13 });
    expect(await c.findOneAndReplace({ _id: 1 }, { b: 0 }, { returnDocument: 'after' })).toEqual({ _id: 1, b: 0 });
    expect(await c.findOneAndDelete({ _id: 1 })).toEqual({ _id: 1, b: 0 });
    expect(await c.findOneAndDelete({ _id: 1 })).toBeNull();
    const whole = await c.findOneAndUpdate(
      { _id: 3 },
      { $set: { a: 1 } },
      { upsert: true, includeResultMetadata: true },
    );
    expect(whole).toMatchObject({ value: null, lastErrorObject: { n: 1, updatedExisting: false, upserted: 3 } });
  });
});

describe('arguments', () => {
  it.each([
    [{ find: 'c', fliter: {} }, 40415, "BSON field 'find.fliter' is an unknown field."],
    [{ find: 'c', filter: 'x' }, 14, "BSON field 'find.filter' is the wrong type 'string', expected type 'object'"],
    [
      { find: 'c', limit: 'x' },
      14,
      "BSON field 'find.limit' is the wrong type 'string', expected types '[int, long, double, decimal]'",
    ],
    [{ find: 'c', limit: -1 }, 51024, "BSON field 'limit' value must be >= 0, actual value '-1'"],
    [
      { find: 'c', collation: { locale: 'de' } },
      115,
      "Pocket Atlas does not support 'find.collation'. Leave it out, or use MongoDB Atlas.",
    ],
    [{ find: 'c', hint: 'none' }, 2, /hint provided does not correspond to an existing index/],
    [{ find: '' }, 73, /Invalid namespace/],
    [{ find: 5 }, 73, /collection name has invalid type int/],
    [{ find: 'a$b' }, 73, /Invalid namespace/],
    [{ insert: 'c' }, 40414, "BSON field 'insert.documents' is missing but a required field"],
    [{ insert: 'c', documents: [] }, 72, /Write batch sizes must be between 1 and 100000/],
    [{ insert: 'c', documents: ['x'] }, 14, /must be an array of objects/],
    [{ update: 'c', updates: [{ q: {} }] }, 40414, "BSON field 'update.updates.u' is missing but a required field"],
    [
      { update: 'c', updates: [{ q: {}, u: {}, many: true }] },
      40415,
      "BSON field 'update.updates.many' is an unknown field.",
    ],
    [{ delete: 'c', deletes: [{ q: {}, limit: 2 }] }, 9, /limit field in delete objects must be 0 or 1/],
    [{ aggregate: 'c', pipeline: [] }, 9, /'cursor' option is required/],
    [{ aggregate: 'c', pipeline: [{ $a: 1, $b: 2 }], cursor: {} }, 40323, /exactly one field/],
    [
      { aggregate: 'c', pipeline: [{ $noSuchStage: {} }], cursor: {} },
      40324,
      "Unrecognized pipeline stage name: '$noSuchStage'",
    ],
    [{ findAndModify: 'c' }, 9, 'Either an update or remove=true must be specified'],
    [{ find: 'c', readConcern: { level: 'loud' } }, 9, /readConcern\.level must be one of/],
    [{ insert: 'c', documents: [{}], writeConcern: { w: 51 } }, 9, /w has to be a non-negative number/],
    [{ ping: 1, writeConcern: { w: 1 } }, 72, /does not support writeConcern/],
    [{ commitTransaction: 1 }, 13, 'commitTransaction may only be run against the admin database.'],
    [{ noSuchCommand: 1 }, 59, "no such command: 'noSuchCommand'"],
    [{ create: 'c', capped: true, size: 1000 }, 115, /'create\.capped'/],
    [{ create: 'c', viewOn: 'd' }, 115, /'create\.viewOn'/],
    [{ getMore: 'x', collection: 'c' }, 14, /cursor id must be of type long/],
    [{ saslStart: 1, mechanism: 'SCRAM-SHA-256', payload: '' }, 18, /Pocket Atlas has no users/],
  ] as [Document, number, string | RegExp][])('%j are refused with %d', async (command, code, message) => {
    const db = freshDb();
    await db.createCollection('c');
    const error = await failure(db.command(command));
    expect(error).toBeInstanceOf(MongoServerError);
    expect(error).toMatchObject({
      code,
      message: typeof message === 'string' ? message : expect.stringMatching(message),
    });
  });

  it.each([
    [{ w: 2 }, 100, 'UnsatisfiableWriteConcern'],
    [{ w: 'several' }, 79, 'UnknownReplWriteConcern'],
  ])('write and then say that the write concern %j cannot be met', async (writeConcern, code, codeName) => {
    const db = freshDb();
    const error = await failure(db.command({ insert: 'c', documents: [{ _id: 1 }], writeConcern }));
    expect(error).toMatchObject({ code, result: { ok: 1, n: 1, writeConcernError: { code, codeName } } });
    expect(await db.collection('c').countDocuments()).toBe(1);
  });
});

describe('maxTimeMS', () => {
  it('ends a read that takes longer, with code 50', async () => {
    const c = freshDb().collection('c');
    await c.insertMany(Array.from({ length: 20_000 }, (_, x) => ({ x })));
    const start = Date.now();
    let calls = 0;
    // Every look at the clock takes a second.
    clock = () => start + 1_000 * calls++;
    try {
      expect(await failure(c.find({ y: 1 }, { maxTimeMS: 10 }).toArray())).toMatchObject({
        code: 50,
        codeName: 'MaxTimeMSExpired',
      });
      expect(await failure(c.aggregate([{ $group: { _id: '$x' } }], { maxTimeMS: 10 }).toArray())).toMatchObject({
        code: 50,
      });
    } finally {
      clock = Date.now;
    }
  });
});

describe('reads', () => {
  it('say how they find their records', async () => {
    const c = freshDb().collection('c');
    await c.createIndex({ a: 1 });
    const { queryPlanner, executionStats } = await c.find({ a: 5 }).explain('executionStats');
    expect(queryPlanner.winningPlan).toMatchObject({
      stage: 'FETCH',
      inputStage: { stage: 'IXSCAN', indexName: 'a_1' },
    });
    expect(executionStats).toMatchObject({ executionSuccess: true, nReturned: 0 });
    expect((await c.find({ b: 5 }).sort({ b: 1 }).explain('queryPlanner')).queryPlanner.winningPlan).toMatchObject({
      stage: 'SORT',
      inputStage: { stage: 'COLLSCAN' },
    });
    expect((await c.find({ _id: 5 as never }).explain('queryPlanner')).queryPlanner.winningPlan).toMatchObject({
      stage: 'IDHACK',
    });
    const [{ $cursor }] = (await c.aggregate([{ $match: { a: 5 } }, { $count: 'n' }]).explain('queryPlanner')).stages;
    expect($cursor.queryPlanner.winningPlan.inputStage.indexName).toBe('a_1');
    expect((await failure(c.db.command({ explain: { ping: 1 } }))).code).toBe(59);
  });

  it('take variables that are expressions', async () => {
    const c = freshDb().collection('c');
    await c.insertMany([{ x: 1 }, { x: 5 }]);
    expect(await c.countDocuments({ $expr: { $eq: ['$x', '$$five'] } }, { let: { five: { $add: [2, 3] } } })).toBe(1);
    await c.updateMany({}, [{ $set: { y: '$$text' } }], { let: { text: { $literal: '$x' } } });
    expect(await c.countDocuments({ y: '$x' })).toBe(2);
  });

  it('list the different values of a field, arrays taken apart', async () => {
    const c = freshDb().collection('c');
    await c.insertMany([
      { a: [1, 2] },
      { a: 2 },
      { a: new BSON.Double(1) },
      { a: { b: 3 } },
      { a: [{ b: 3 }, { b: 4 }] },
    ]);
    expect(await c.distinct('a.b')).toEqual([3, 4]);
    expect((await c.distinct('a')).length).toBe(4);
    expect(await c.distinct('a', { a: 2 })).toEqual([1, 2]);
  });
});

describe('$out and $merge', () => {
  it('replace a collection whole and keep its indexes', async () => {
    const db = freshDb();
    await db.collection('to').createIndex({ x: 1 }, { unique: true });
    await db.collection('to').insertOne({ x: 99 });
    await db.collection('from').insertMany([{ x: 1 }, { x: 2 }]);
    expect(
      await db
        .collection('from')
        .aggregate([{ $project: { _id: 0, x: 1 } }, { $out: 'to' }])
        .toArray(),
    ).toEqual([]);
    expect((await db.collection('to').find().toArray()).map(({ x }) => x)).toEqual([1, 2]);
    expect((await db.collection('to').indexes()).map(({ name }) => name)).toEqual(['_id_', 'x_1']);
    const before = await db.collection('to').find().toArray();
    await expect(
      db
        .collection('from')
        .aggregate([{ $set: { x: 1 } }, { $out: 'to' }])
        .toArray(),
    ).rejects.toMatchObject({ code: 11000 });
    expect(await db.collection('to').find().toArray()).toEqual(before);
    expect((await db.listCollections().toArray()).map(({ name }) => name).sort()).toEqual(['from', 'to']);
  });

  it.each([
    [
      { whenMatched: 'replace' },
      [
        { _id: 1, b: 2 },
        { _id: 2, b: 3 },
      ],
    ],
    [
      { whenMatched: 'merge' },
      [
        { _id: 1, a: 1, b: 2 },
        { _id: 2, b: 3 },
      ],
    ],
    [
      { whenMatched: 'keepExisting' },
      [
        { _id: 1, a: 1 },
        { _id: 2, b: 3 },
      ],
    ],
    [
      { whenMatched: [{ $set: { sum: { $add: ['$a', '$$new.b'] } } }] },
      [
        { _id: 1, a: 1, sum: 3 },
        { _id: 2, b: 3 },
      ],
    ],
    [{ whenNotMatched: 'discard' }, [{ _id: 1, a: 1, b: 2 }]],
  ] as [Document, Document[]][])('merge with %j', async (options, expected) => {
    const db = freshDb();
    await db.collection('to').insertOne({ _id: 1 as never, a: 1 });
    await db.collection('from').insertMany([
      { _id: 1, b: 2 },
      { _id: 2, b: 3 },
    ] as never[]);
    await db
      .collection('from')
      .aggregate([{ $merge: { into: 'to', ...options } }])
      .toArray();
    expect(await db.collection('to').find().sort({ _id: 1 }).toArray()).toEqual(expected);
  });

  it('refuse to merge on fields without a unique index', async () => {
    const db = freshDb();
    await db.collection('from').insertOne({ x: 1 });
    const merge = db
      .collection('from')
      .aggregate([{ $merge: { into: 'to', on: 'x' } }])
      .toArray();
    await expect(merge).rejects.toMatchObject({ code: 51183 });
  });
});
