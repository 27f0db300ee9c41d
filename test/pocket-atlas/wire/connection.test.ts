import { BSON } from 'mongodb';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { crc32c } from '../../../src/pocket-atlas/wire/crc32c.js';
import { encodeFrame, MESSAGE_BYTES_MAX, OPCODE } from '../../../src/pocket-atlas/wire/frame.js';
import { servePocketAtlasHere } from '../../support/pocket-atlas.js';
import { RawConnection } from './raw-connection.js';

let atlas: Awaited<ReturnType<typeof servePocketAtlasHere>>;
const open: RawConnection[] = [];

beforeAll(async () => {
  atlas = await servePocketAtlasHere();
});
afterAll(() => atlas?.stop());
afterEach(() => {
  for (const connection of open.splice(0)) connection.close();
});

async function raw(): Promise<RawConnection> {
  const connection = await RawConnection.open(atlas.uri);
  open.push(connection);
  return connection;
}

const HELLO_QUERY = [Buffer.alloc(4), Buffer.from('admin.$cmd\0'), Buffer.from([0, 0, 0, 0, 255, 255, 255, 255])];

describe('a connection', () => {
  it('answers the first hello of a driver, an OP_QUERY, with an OP_REPLY', async () => {
    const connection = await raw();
    const id = connection.sendFrame(OPCODE.query, ...HELLO_QUERY, BSON.serialize({ ismaster: 1, helloOk: true }));
    const frame = (await connection.next())!;
    expect(frame).toMatchObject({ opCode: OPCODE.reply, responseTo: id });
    expect(BSON.deserialize(frame.body.subarray(20))).toMatchObject({
      ismaster: true,
      helloOk: true,
      setName: 'rs0',
      maxWireVersion: 27,
      maxBsonObjectSize: 16 * 1024 * 1024,
      maxMessageSizeBytes: MESSAGE_BYTES_MAX,
      logicalSessionTimeoutMinutes: 30,
      ok: 1,
    });
  });

  it('answers in the order of the requests, however fast they come', async () => {
    const connection = await raw();
    const ids = Array.from({ length: 50 }, (_, i) =>
      connection.sendCommand(i % 2 ? { ping: 1, $db: 'admin' } : { insert: 'order', documents: [{ i }], $db: 'wire' }),
    );
    const answers = [];
    for (const _ of ids) answers.push((await connection.next())!.responseTo);
    expect(answers).toEqual(ids);
  });

  it('sends no answer to a message that wants none, and does what it says', async () => {
    const connection = await raw();
    connection.sendCommand({ insert: 'silent', documents: [{ _id: 1 }], $db: 'wire', writeConcern: { w: 0 } }, 2);
    connection.sendCommand({ unknownCommand: 1, $db: 'wire' }, 2);
    const ping = connection.sendCommand({ ping: 1, $db: 'admin' });
    expect((await connection.next())!.responseTo).toBe(ping);
    expect(await atlas.db('wire').collection('silent').countDocuments()).toBe(1);
  });

  it('writes what came before its client went away', async () => {
    const connection = await raw();
    connection.sendCommand({ insert: 'parting', documents: [{ _id: 1 }], $db: 'wire', writeConcern: { w: 0 } }, 2);
    connection.socket.end();
    await vi.waitFor(async () => expect(await atlas.db('wire').collection('parting').countDocuments()).toBe(1));
  });

  it('takes a right checksum and answers a wrong one with an error', async () => {
    const connection = await raw();
    const flags = Buffer.from([1, 0, 0, 0]);
    const frame = encodeFrame(OPCODE.message, 77, 0, [
      flags,
      Buffer.from([0]),
      BSON.serialize({ ping: 1, $db: 'admin' }),
      Buffer.alloc(4),
    ]);
    frame.writeUInt32LE(crc32c(frame.subarray(0, -4)), frame.length - 4);
    connection.socket.write(frame);
    expect(await connection.nextDocument()).toMatchObject({ ok: 1 });
    frame[frame.length - 1] = frame[frame.length - 1]! ^ 1;
    connection.socket.write(frame);
    expect(await connection.nextDocument()).toMatchObject({ ok: 0 });
    expect(await connection.command({ ping: 1, $db: 'admin' })).toMatchObject({ ok: 1 });
  });

  it.each([
    ['an impossible length', Buffer.from([1, 0, 0, 0])],
    ['a length beyond the limit', Buffer.from([0xff, 0xff, 0xff, 0x7f])],
    ['a negative length', Buffer.from([0, 0, 0, 0x80])],
    ['the request of a web browser', Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')],
  ])('is closed on %s, and the server goes on', async (_what, bytes) => {
    const connection = await raw();
    connection.socket.write(bytes);
    expect(await connection.next()).toBeUndefined();
    expect(await atlas.db('admin').command({ ping: 1 })).toMatchObject({ ok: 1 });
  });

  it('says what it does not speak: other opcodes, compression, old queries', async () => {
    const connection = await raw();
    for (const opCode of [2012, 2001, 9999]) {
      connection.sendFrame(opCode, Buffer.alloc(30));
      expect(await connection.nextDocument()).toMatchObject({ ok: 0, code: 5739101 });
    }
    connection.sendFrame(
      OPCODE.query,
      Buffer.alloc(4),
      Buffer.from('db.collection\0'),
      Buffer.alloc(8),
      BSON.serialize({}),
    );
    expect(await connection.nextDocument()).toMatchObject({ ok: 0, code: 5739101 });
  });

  it('does not keep others waiting while it is blocked', async () => {
    const [slow, quick] = [await raw(), await raw()];
    await slow.command({
      configureFailPoint: 'failCommand',
      mode: { times: 1 },
      data: { failCommands: ['find'], blockConnection: true, blockTimeMS: 300 },
      $db: 'admin',
    });
    slow.sendCommand({ find: 'c', $db: 'wire' });
    const finished: string[] = [];
    const slowAnswer = slow.nextDocument().then(() => finished.push('slow'));
    await quick.command({ find: 'c', $db: 'wire' });
    finished.push('quick');
    await slowAnswer;
    expect(finished).toEqual(['quick', 'slow']);
  });

  it('lets a client vanish in the middle of a message', async () => {
    const connection = await raw();
    const frame = encodeFrame(OPCODE.message, 1, 0, [
      Buffer.alloc(5),
      BSON.serialize({ insert: 'half', documents: [{ a: 'x'.repeat(10_000) }], $db: 'wire' }),
    ]);
    connection.socket.write(frame.subarray(0, 5_000));
    connection.socket.destroy();
    expect(await atlas.db('admin').command({ ping: 1 })).toMatchObject({ ok: 1 });
    expect(await atlas.db('wire').collection('half').countDocuments()).toBe(0);
  });

  it('refuses a document over 16 MB and one nested over 200 levels, and goes on', async () => {
    const connection = await raw();
    const large = await connection.command({
      insert: 'large',
      documents: [{ a: Buffer.alloc(16 * 1024 * 1024) }],
      $db: 'wire',
    });
    expect(large).toMatchObject({ n: 0, writeErrors: [{ index: 0, code: 10334 }] });
    let deep: object = {};
    for (let level = 0; level < 300; level += 1) deep = { a: deep };
    expect(await connection.command({ insert: 'deep', documents: [deep], $db: 'wire' })).toMatchObject({
      ok: 0,
      code: 15,
    });
    expect(await connection.command({ ping: 1, $db: 'admin' })).toMatchObject({ ok: 1 });
  });
});
