import { decode } from '../../bson/decode.js';
import { encode } from '../../bson/encode.js';
import type { BsonValue } from '../../bson/values.js';
import { openEngine } from '../open-engine.js';
import type { StorageEngine } from '../storage-engine.js';
import { COLLECTION, DB, EXTRA_COLLECTION, LANES, laneCounterId, WRITES_MAX } from './workload.js';

/**
 * Writes until it is killed: `node writer-process.js DATA_DIR`. Each lane's commit n inserts its record n, counts in the
 * lane's counter and replaces or removes an older record, all in one transaction; once that is acknowledged it prints
 * `lane n`.
 */
async function main(dataDir: string): Promise<void> {
  const engine = await openEngine({ dataDir, expiryIntervalMs: 0 });
  const view = engine.view();
  const known = view.collection(DB, COLLECTION);
  view.release();
  const info = known ?? (await engine.createCollection(DB, COLLECTION, {}));
  // Both are there already, unless the predecessor was killed before it made them.
  await engine.createIndex(info, { key: { lane: 1, n: -1 }, unique: true });
  await engine.createIndex(info, { key: { tags: 1 } });
  process.stdout.write('ready\n');
  const lane = async (at: number) => {
    for (let write = 0; write < WRITES_MAX; write++) {
      const n = await engine.write((transaction) => {
        const counter = transaction.findById(info, laneCounterId(at));
        const next = counter === undefined ? 1 : Number(decode(counter.bytes).count) + 1;
        const value = encode({ _id: laneCounterId(at), lane: at, n: 0, count: next });
        if (counter === undefined) transaction.insert(info, value);
        else transaction.replace(info, counter.recordId, value);
        transaction.insert(
          info,
          encode({ _id: idOf(at, next), lane: at, n: next, tags: [next % 5, 'x'], text: 'x'.repeat(next % 900) }),
        );
        const old = transaction.findById(info, idOf(at, next - 10));
        if (old !== undefined && next % 3 === 0) transaction.remove(info, old.recordId);
        return next;
      });
      process.stdout.write(`${at} ${n}\n`);
    }
  };
  await Promise.all([...Array.from({ length: LANES }, (_, at) => lane(at)), changeCatalogue(engine)]);
}

/** Makes a collection, fills it, indexes it, and drops both again, over and over. */
async function changeCatalogue(engine: StorageEngine): Promise<void> {
  await engine.dropCollection(DB, EXTRA_COLLECTION);
  for (let round = 0; round < WRITES_MAX; round++) {
    const extra = await engine.createCollection(DB, EXTRA_COLLECTION, { round });
    await engine.write((transaction) => {
      for (let n = 0; n < 300; n++) transaction.insert(extra, encode({ _id: n, n, tags: [n, -n] }));
    });
    await engine.createIndex(extra, { key: { tags: 1 } });
    await engine.createIndex(extra, { key: { n: 1 }, unique: true });
    await engine.dropIndex(extra, 'tags_1');
    await engine.dropCollection(DB, EXTRA_COLLECTION);
  }
}

function idOf(lane: number, n: number): BsonValue {
  return `${lane}/${n}`;
}

const [, , dataDir] = process.argv;
if (dataDir === undefined) throw new Error('usage: writer-process.js DATA_DIR');
await main(dataDir);
