import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PocketAtlas, startPocketAtlas } from '../../../src/pocket-atlas/start.js';

/** 150 MB, so it is installed on demand. */
const MONGOSH = fileURLToPath(new URL('../../../bench/mongosh/node_modules/.bin/mongosh', import.meta.url));
const isInstalled = existsSync(MONGOSH);
if (!isInstalled) console.info('mongosh is not tried: npm install --prefix bench/mongosh installs it');

const SCRIPT = `
  use('shop');
  db.orders.insertMany([{ n: 1, at: ISODate('2026-01-02') }, { n: NumberLong('2'), price: NumberDecimal('1.50') }]);
  db.orders.updateOne({ n: 1 }, { $set: { paid: true } });
  db.orders.deleteOne({ n: 3 });
  print('found ' + db.orders.find({ n: { $gte: 1 } }).sort({ n: -1 }).toArray().map(({ n }) => Number(n)).join());
  db.orders.createIndex({ n: 1 }, { unique: true });
  print('indexes ' + db.orders.getIndexes().map(({ name }) => name).join());
  try { db.orders.insertOne({ n: 1 }); } catch (error) { print('refused ' + error.code); }
  db.passages.insertMany([{ text: 'up', v: [0, 1] }, { text: 'right', v: [1, 0] }]);
  db.passages.createSearchIndex('vectors', 'vectorSearch', {
    fields: [{ type: 'vector', path: 'v', numDimensions: 2, similarity: 'cosine' }],
  });
  while (!db.passages.getSearchIndexes('vectors')[0].queryable) sleep(50);
  print('nearest ' + db.passages.aggregate([
    { $vectorSearch: { index: 'vectors', path: 'v', queryVector: [0.1, 1], numCandidates: 2, limit: 1 } },
  ]).toArray()[0].text);
  print('counted ' + db.orders.countDocuments() + ' of ' + db.orders.estimatedDocumentCount());
  print('collections ' + db.getCollectionNames().sort().join());
  print('databases ' + db.getMongo().getDBNames().filter((name) => name === 'shop').join());
  print('explained ' + db.orders.find({ n: 1 }).explain().queryPlanner.winningPlan.stage);
  const session = db.getMongo().startSession();
  session.startTransaction();
  session.getDatabase('shop').orders.insertOne({ n: 7 });
  session.abortTransaction();
  print('rolled back ' + db.orders.countDocuments({ n: 7 }));
  db.dropDatabase();
  print('dropped ' + db.getCollectionNames().length);
`;

describe.skipIf(!isInstalled)('mongosh', () => {
  let atlas: PocketAtlas;
  let home: string;

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'mongosh-'));
    atlas = await startPocketAtlas();
  });
  afterAll(async () => {
    await atlas?.stop();
    await rm(home, { recursive: true, force: true });
  });

  it('runs a script: CRUD, indexes, a search index, $vectorSearch, explain, a transaction', {
    timeout: 120_000,
  }, async () => {
    const script = join(home, 'script.js');
    await writeFile(script, SCRIPT);
    const env = { ...process.env, HOME: home };
    const { stdout } = await promisify(execFile)(MONGOSH, [atlas.uri, '--quiet', '--file', script], { env });
    expect(stdout.trim().split('\n')).toEqual([
      'found 2,1',
      'indexes _id_,n_1',
      'refused 11000',
      'nearest up',
      'counted 2 of 2',
      'collections orders,passages',
      'databases shop',
      expect.stringMatching(/^explained \w+/),
      'rolled back 0',
      'dropped 0',
    ]);
  });

  it('shows databases as a person types it', { timeout: 120_000 }, async () => {
    const env = { ...process.env, HOME: home };
    const args = [atlas.uri, '--quiet', '--eval', "db.getSiblingDB('shown').c.insertOne({})", '--eval', 'show dbs'];
    const { stdout } = await promisify(execFile)(MONGOSH, args, { env });
    expect(stdout).toMatch(/^shown\s+[\d.]+ \w*B$/m);
  });
});
