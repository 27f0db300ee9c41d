import { serialize } from 'bson';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CommandError } from '../../../src/pocket-atlas/errors.js';
import { crc32c } from '../../../src/pocket-atlas/wire/crc32c.js';
import { encodeFrame, FrameSplitter, OPCODE } from '../../../src/pocket-atlas/wire/frame.js';
import { parseOpMsg } from '../../../src/pocket-atlas/wire/op-msg.js';

const PING = serialize({ ping: 1, $db: 'admin' });

function frameOf(flags: number, ...parts: readonly Uint8Array[]) {
  const flagBytes = Buffer.alloc(4);
  flagBytes.writeUInt32LE(flags);
  return new FrameSplitter().push(encodeFrame(OPCODE.message, 1, 0, [flagBytes, ...parts]))[0]!;
}

function sequence(name: string, ...documents: readonly Uint8Array[]): Uint8Array {
  const content = Buffer.concat([Buffer.from(`${name}\0`), ...documents]);
  const length = Buffer.alloc(4);
  length.writeInt32LE(content.length + 4);
  return Buffer.concat([Buffer.from([1]), length, content]);
}

const body = Buffer.concat([Buffer.from([0]), PING]);

describe('parseOpMsg', () => {
  it('reads a body and its document sequences', () => {
    const [a, b] = [serialize({ a: 1 }), serialize({ b: 2 })];
    const message = parseOpMsg(frameOf(0, body, sequence('documents', a, b), sequence('empty')));
    expect(Buffer.from(message.body)).toEqual(Buffer.from(PING));
    expect(message.sequences.get('documents')?.map((bytes) => Buffer.from(bytes))).toEqual(
      [a, b].map((x) => Buffer.from(x)),
    );
    expect(message.sequences.get('empty')).toEqual([]);
    expect(message.moreToCome).toBe(false);
  });

  it('says when no reply is wanted', () => {
    expect(parseOpMsg(frameOf(2, body)).moreToCome).toBe(true);
  });

  it('verifies a checksum and refuses a wrong one', () => {
    const placeholder = Buffer.alloc(4);
    const frame = frameOf(1, body, placeholder);
    frame.bytes.writeUInt32LE(crc32c(frame.bytes.subarray(0, -4)), frame.bytes.length - 4);
    expect(Buffer.from(parseOpMsg(frame).body)).toEqual(Buffer.from(PING));
    frame.bytes[30] = frame.bytes[30]! ^ 1;
    expect(() => parseOpMsg(frame)).toThrow(/checksum/);
  });

  it.each([
    ['unknown required flags', frameOf(1 << 5, body), 223],
    ['two bodies', frameOf(0, body, body), 40430],
    ['no body', frameOf(0, sequence('documents', PING)), 40587],
    ['a repeated sequence', frameOf(0, body, sequence('a'), sequence('a')), 40431],
    ['an unknown section', frameOf(0, Buffer.from([7]), PING), 40432],
    ['a cut document', frameOf(0, body.subarray(0, -1)), 22],
  ])('refuses %s', (_what, frame, code) => {
    expect(() => parseOpMsg(frame)).toThrow(expect.objectContaining({ code }));
  });

  it('answers any bytes with a message or a CommandError, never with another failure', () => {
    const mutated = fc.tuple(fc.nat(200), fc.integer({ min: 0, max: 255 }), fc.nat(40)).map(([at, value, cut]) => {
      const whole = Buffer.concat([body, sequence('documents', serialize({ a: [1, { b: 'text' }], c: /x/i }))]);
      whole[at % whole.length] = value;
      return whole.subarray(0, whole.length - cut);
    });
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 300 }), mutated), fc.nat(3), (bytes, flags) => {
        try {
          parseOpMsg(frameOf(flags, bytes));
        } catch (error) {
          expect(error).toBeInstanceOf(CommandError);
        }
      }),
      { numRuns: 3_000 },
    );
  });
});

describe('crc32c', () => {
  it('gives the check value of the Castagnoli polynomial', () => {
    expect(crc32c(Buffer.from('123456789'))).toBe(0xe3069283);
  });
});
