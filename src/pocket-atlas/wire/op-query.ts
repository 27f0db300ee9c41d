import { CommandError } from '../errors.js';
import { encodeFrame, type Frame, OPCODE } from './frame.js';
import { assertValidBson } from './valid-bson.js';

/**
 * OP_QUERY, which a driver uses for its very first message only (hello on `admin.$cmd`), and OP_REPLY, its answer.
 * Source: "MongoDB Wire Protocol", legacy opcodes.
 */
export interface OpQuery {
  readonly db: string;
  readonly body: Uint8Array;
}

/** Throws CommandError when the message is damaged or no command. */
export function parseOpQuery(frame: Frame): OpQuery {
  const { body: bytes } = frame;
  const nameEnd = bytes.indexOf(0, 4);
  if (nameEnd < 0 || nameEnd + 9 + 5 > bytes.length) throw new CommandError(9, 'A damaged OP_QUERY message');
  const namespace = bytes.toString('utf8', 4, nameEnd);
  if (!namespace.endsWith('.$cmd')) {
    throw new CommandError(5739101, 'OP_QUERY is no longer supported. The client driver may require an upgrade.');
  }
  const at = nameEnd + 9;
  const length = bytes.readInt32LE(at);
  if (length < 5 || at + length > bytes.length) throw new CommandError(22, 'A damaged document in an OP_QUERY message');
  const body = bytes.subarray(at, at + length);
  assertValidBson(body);
  return { db: namespace.slice(0, -'.$cmd'.length), body };
}

export function encodeOpReply(requestId: number, responseTo: number, document: readonly Uint8Array[]): Buffer {
  const prefix = Buffer.alloc(20);
  prefix.writeInt32LE(8, 0); // AwaitCapable, as every server since 2.2 says
  prefix.writeInt32LE(1, 16); // one document
  return encodeFrame(OPCODE.reply, requestId, responseTo, [prefix, ...document]);
}
