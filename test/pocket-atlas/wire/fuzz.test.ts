import { BSON } from 'mongodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { encodeFrame, OPCODE } from '../../../src/pocket-atlas/wire/frame.js';
import { startTestPocketAtlas, type TestPocketAtlas } from '../../support/pocket-atlas.js';
import { RawConnection } from './raw-connection.js';

/**
 * Goal: whatever bytes a client sends, the connection at most is lost, never the server or another client's data.
 * Method: valid messages of every kind are mutated (bits, bytes, lengths, cuts, repeats) by a seeded generator and sent to a
 * server process; at the end it is the same process, answers, and holds what another client wrote.
 */
const FRAMES = Number(process.env.POCKET_ATLAS_FUZZ_FRAMES ?? 5_000);
const SEED = 20_240_601;
/** Connections side by side: most of the time goes into flushing what is valid after all. */
const LANES = 24;

let atlas: TestPocketAtlas;
beforeAll(async () => {
  atlas = await startTestPocketAtlas();
});
afterAll(() => atlas?.stop());

/** Mulberry32: small, seeded, good enough to choose bytes. */
function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

function samples(): Buffer[] {
  const body = (command: object) => Buffer.concat([Buffer.from([0]), BSON.serialize({ ...command, $db: 'fuzz' })]);
  const sequence = (name: string, ...documents: object[]) => {
    const content = Buffer.concat([Buffer.from(`${name}\0`), ...documents.map((document) => BSON.serialize(document))]);
    const length = Buffer.alloc(4);
    length.writeInt32LE(content.length + 4);
    return Buffer.concat([Buffer.from([1]), length, content]);
  };
  const message = (...sections: Buffer[]) => encodeFrame(OPCODE.message, 1, 0, [Buffer.alloc(4), ...sections]);
  const lsid = { id: new BSON.UUID() };
  return [
    message(body({ ping: 1 })),
    message(body({ insert: 'c', documents: [{ _id: 1, a: [1, { b: 'x' }], c: new BSON.Binary(Buffer.alloc(20)) }] })),
    message(body({ insert: 'c' }), sequence('documents', { a: 1 }, { b: /x/i, d: new Date() })),
    message(body({ find: 'c', filter: { a: { $elemMatch: { b: { $in: ['x', null] } } } }, sort: { a: -1 }, limit: 3 })),
    message(
      body({ update: 'c', updates: [{ q: { _id: 1 }, u: { $set: { 'a.0': 5 }, $inc: { n: 1 } }, upsert: true }] }),
    ),
    message(
      body({ aggregate: 'c', pipeline: [{ $match: { a: 1 } }, { $group: { _id: '$a', n: { $sum: 1 } } }], cursor: {} }),
    ),
    message(body({ delete: 'c', deletes: [{ q: {}, limit: 0 }] })),
    message(body({ findAndModify: 'c', query: {}, update: [{ $set: { a: '$b' } }], lsid, txnNumber: BSON.Long.ONE })),
    message(
      body({
        insert: 't',
        documents: [{}],
        lsid,
        txnNumber: BSON.Long.fromNumber(2),
        startTransaction: true,
        autocommit: false,
      }),
    ),
    message(
      body({ bulkWrite: 1 }),
      sequence('ops', { insert: 0, document: { a: 1 } }),
      sequence('nsInfo', { ns: 'fuzz.c' }),
    ),
    message(body({ createIndexes: 'i', indexes: [{ key: { a: 1 }, name: 'a_1' }] })),
    message(body({ getMore: BSON.Long.fromNumber(5), collection: 'c' })),
    encodeFrame(OPCODE.query, 1, 0, [
      Buffer.alloc(4),
      Buffer.from('admin.$cmd\0'),
      Buffer.alloc(8),
      BSON.serialize({ ismaster: 1, client: { driver: { name: 'fuzz', version: '1' } } }),
    ]),
  ];
}

function mutate(sample: Buffer, below: (n: number) => number): Buffer {
  let bytes = Buffer.from(sample);
  for (let round = 1 + below(4); round > 0; round -= 1) {
    // Most mutations spare the header, so that the frame is whole and its inside gets looked at.
    const at = below(10) === 0 ? below(bytes.length) : Math.min(16 + below(bytes.length), bytes.length - 1);
    switch (below(6)) {
      case 0:
        bytes[at] = bytes[at]! ^ (1 << below(8));
        break;
      case 1:
        bytes[at] = below(256);
        break;
      case 2:
        if (at + 4 <= bytes.length) bytes.writeInt32LE([0, -1, 0x7fffffff, below(1000), bytes.length][below(5)]!, at);
        break;
      case 3:
        bytes = bytes.subarray(0, Math.max(20, at));
        break;
      case 4:
        bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(below(bytes.length)), Buffer.alloc(20)]);
        break;
      default:
        bytes = Buffer.concat([bytes, Buffer.alloc(below(40), below(256))]);
    }
    if (below(8) !== 0) bytes.writeInt32LE(bytes.length, 0);
  }
  return bytes;
}

it(`survives ${FRAMES} mutated messages`, { timeout: 600_000 }, async () => {
  const kept = atlas.db('kept').collection<{ _id: number }>('c');
  await kept.insertMany([{ _id: 1 }, { _id: 2 }, { _id: 3 }]);
  // An open transaction keeps those waiting who make, index or drop what it wrote to: it has a collection of its own.
  for (const name of ['c', 'i', 't']) await atlas.db('fuzz').createCollection(name);
  const pid = atlas.pid();
  const below = generator(SEED);
  const valid = samples();
  let [sent, answered, closed] = [0, 0, 0];
  const lane = async (): Promise<void> => {
    let connection = await RawConnection.open(atlas.uri);
    while (sent < FRAMES) {
      sent += 1;
      const bytes = mutate(valid[below(valid.length)]!, below);
      connection.socket.write(bytes);
      // A frame that says another length leaves the stream out of step: its connection is over either way.
      const isWhole = bytes.readInt32LE(0) === bytes.length;
      const wantsAnswer = isWhole && !(bytes.readInt32LE(12) === OPCODE.message && (bytes[16]! & 2) !== 0);
      if (wantsAnswer) {
        if ((await connection.next()) === undefined) closed += 1;
        else answered += 1;
      }
      if (!wantsAnswer || connection.closed) {
        connection.close();
        connection = await RawConnection.open(atlas.uri);
      }
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  expect(atlas.pid()).toBe(pid);
  expect(answered).toBeGreaterThan(FRAMES / 2);
  expect(closed).toBeLessThan(FRAMES / 100);
  expect(await kept.find().sort({ _id: 1 }).toArray()).toEqual([{ _id: 1 }, { _id: 2 }, { _id: 3 }]);
});
