import mongoose from 'mongoose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type PocketAtlas, startPocketAtlas } from '../../../src/pocket-atlas/start.js';
import { searchable } from './searchable.js';

/** Mongoose as its users write it, with the driver that it brings. */
let atlas: PocketAtlas;
let connection: mongoose.Connection;

const userSchema = new mongoose.Schema(
  { email: { type: String, unique: true, required: true }, balance: { type: Number, default: 0 }, tags: [String] },
  { timestamps: true },
);
const passageSchema = new mongoose.Schema({ text: String, owner: String, embedding: [Number] });
passageSchema.searchIndex({
  name: 'vectors',
  type: 'vectorSearch',
  definition: {
    fields: [
      { type: 'vector', path: 'embedding', numDimensions: 3, similarity: 'cosine' },
      { type: 'filter', path: 'owner' },
    ],
  },
});

beforeAll(async () => {
  atlas = await startPocketAtlas();
  connection = await mongoose.createConnection(atlas.uri, { dbName: 'mongoose' }).asPromise();
});
afterAll(async () => {
  await connection?.close();
  await atlas?.stop();
});

it('validates, saves, finds, populates defaults and timestamps, and updates with operators', async () => {
  const User = connection.model('User', userSchema);
  await User.init();
  const ada = await User.create({ email: 'ada@example.com', tags: ['a'] });
  expect(ada.createdAt).toBeInstanceOf(Date);
  await User.updateOne({ _id: ada._id }, { $inc: { balance: 5 }, $addToSet: { tags: 'b' } });
  const found = await User.findOne({ email: 'ada@example.com' }).lean();
  expect(found).toMatchObject({ balance: 5, tags: ['a', 'b'] });
  await expect(User.create({ tags: [] })).rejects.toThrow(/email.*required/);
});

it('makes the unique index of a schema, which then holds', async () => {
  const User = connection.model('User');
  await User.init();
  await User.create({ email: 'twice@example.com' });
  await expect(User.create({ email: 'twice@example.com' })).rejects.toMatchObject({ code: 11_000 });
  expect(await User.countDocuments({ email: 'twice@example.com' })).toBe(1);
});

it('moves money in a transaction, or not at all', async () => {
  const User = connection.model('User');
  const [from, to] = await User.create([
    { email: 'from@example.com', balance: 10 },
    { email: 'to@example.com', balance: 0 },
  ]);
  const move = (amount: number) =>
    connection.withSession((session) =>
      session.withTransaction(async () => {
        const payer =
          await User.findOneAndUpdate({ _id: from!._id }, { $inc: { balance: -amount } }, { returnDocument: 'after' }) // biome-ignore format: one call
            .session(session);
        await User.updateOne({ _id: to!._id }, { $inc: { balance: amount } }).session(session);
        if ((payer?.get('balance') as number) < 0) throw new Error('not enough');
      }),
    );
  await move(4);
  await expect(move(40)).rejects.toThrow('not enough');
  const balances = await User.find({ _id: { $in: [from!._id, to!._id] } }).sort({ email: 1 });
  expect(balances.map((user) => user.get('balance') as number)).toEqual([6, 4]);
});

it('creates a search index from the schema, and finds the nearest with $vectorSearch', async () => {
  const Passage = connection.model('Passage', passageSchema);
  await Passage.createCollection();
  await Passage.insertMany([
    { text: 'up', owner: 'ada', embedding: [0, 0, 1] },
    { text: 'right', owner: 'ada', embedding: [1, 0, 0] },
    { text: 'nearly up', owner: 'bob', embedding: [0.1, 0, 1] },
  ]);
  await Passage.createSearchIndexes();
  await searchable(() => Passage.listSearchIndexes());
  const nearest = await Passage.aggregate<{ text: string; score: number }>([
    {
      $vectorSearch: {
        index: 'vectors',
        path: 'embedding',
        queryVector: [0, 0, 1],
        numCandidates: 10,
        limit: 2,
        filter: { owner: 'ada' },
      },
    },
    { $project: { _id: 0, text: 1, score: { $meta: 'vectorSearchScore' } } },
  ]);
  expect(nearest).toEqual([
    { text: 'up', score: 1 },
    { text: 'right', score: 0.5 },
  ]);
});
