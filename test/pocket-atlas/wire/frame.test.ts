import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  BrokenFrameError,
  encodeFrame,
  FrameSplitter,
  MESSAGE_BYTES_MAX,
} from '../../../src/pocket-atlas/wire/frame.js';

describe('FrameSplitter', () => {
  it('finds the same messages however the stream is cut', () => {
    const message = fc.record({ opCode: fc.nat(3000), requestId: fc.nat(), body: fc.uint8Array({ maxLength: 200 }) });
    fc.assert(
      fc.property(fc.array(message, { maxLength: 8 }), fc.array(fc.nat(60), { minLength: 1 }), (messages, cuts) => {
        const stream = Buffer.concat(
          messages.map(({ opCode, requestId, body }) => encodeFrame(opCode, requestId, 7, [body])),
        );
        const splitter = new FrameSplitter();
        const found = [];
        for (let at = 0, turn = 0; at < stream.length; turn += 1) {
          const end = at + 1 + cuts[turn % cuts.length]!;
          found.push(...splitter.push(stream.subarray(at, end)));
          at = end;
        }
        expect(found.map(({ opCode, requestId, body }) => ({ opCode, requestId, body: new Uint8Array(body) }))).toEqual(
          messages.map(({ opCode, requestId, body }) => ({ opCode, requestId, body: new Uint8Array(body) })),
        );
        expect(splitter.heldBytes).toBe(0);
      }),
    );
  });

  it.each([0, 15, -1, MESSAGE_BYTES_MAX + 1, 0x7fffffff])('refuses a length of %d at once', (length) => {
    const header = Buffer.alloc(4);
    header.writeInt32LE(length);
    expect(() => new FrameSplitter().push(header)).toThrow(BrokenFrameError);
  });
});
