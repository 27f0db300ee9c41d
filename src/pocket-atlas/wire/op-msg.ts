import { CommandError } from '../errors.js';
import { crc32c } from './crc32c.js';
import { encodeFrame, type Frame, OPCODE } from './frame.js';
import { assertValidBson } from './valid-bson.js';

/** OP_MSG: flags, then sections. Source: the OP_MSG specification in mongodb/specifications. */
const FLAG = { checksumPresent: 1, moreToCome: 2, exhaustAllowed: 1 << 16 } as const;
/** An unknown flag among the lower 16 changes the meaning of a message; the upper 16 may be ignored. */
const UNKNOWN_REQUIRED_FLAGS = 0xffff & ~(FLAG.checksumPresent | FLAG.moreToCome);

export interface OpMsg {
  /** The client wants no reply (w: 0). */
  readonly moreToCome: boolean;
  readonly body: Uint8Array;
  /** Kind 1 sections: field name → BSON documents. */
  readonly sequences: ReadonlyMap<string, readonly Uint8Array[]>;
}

/** Whether a reply is wanted, readable even where the rest of the message is damaged. */
export function wantsReply(frame: Frame): boolean {
  return frame.body.length < 4 || (frame.body.readUInt32LE(0) & FLAG.moreToCome) === 0;
}

/** Throws CommandError on a damaged message; the connection can go on, since its frame was whole. */
export function parseOpMsg(frame: Frame): OpMsg {
  const { body: bytes } = frame;
  if (bytes.length < 5) throw new CommandError(9, `An OP_MSG of ${bytes.length} bytes holds no section`);
  const flags = bytes.readUInt32LE(0);
  if ((flags & UNKNOWN_REQUIRED_FLAGS) !== 0) {
    throw new CommandError(223, `Message contains illegal flags value: ${flags}`);
  }
  const hasChecksum = (flags & FLAG.checksumPresent) !== 0;
  const end = hasChecksum ? bytes.length - 4 : bytes.length;
  if (hasChecksum) verifyChecksum(frame);

  let body: Uint8Array | undefined;
  const sequences = new Map<string, readonly Uint8Array[]>();
  let at = 4;
  while (at < end) {
    const kind = bytes[at]!;
    at += 1;
    if (kind === 0) {
      if (body !== undefined) throw new CommandError(40430, 'Multiple body sections in message');
      body = documentAt(bytes, at, end);
      at += body.length;
    } else if (kind === 1) {
      const sequence = sequenceAt(bytes, at, end);
      if (sequences.has(sequence.name)) {
        throw new CommandError(40431, `Duplicate document sequence: ${sequence.name}`);
      }
      sequences.set(sequence.name, sequence.documents);
      at = sequence.end;
    } else {
      throw new CommandError(40432, `Unknown section kind ${kind}`);
    }
  }
  if (body === undefined) throw new CommandError(40587, 'OP_MSG messages must have a body');
  return { moreToCome: (flags & FLAG.moreToCome) !== 0, body, sequences };
}

export function encodeOpMsg(requestId: number, responseTo: number, document: readonly Uint8Array[]): Buffer {
  return encodeFrame(OPCODE.message, requestId, responseTo, [REPLY_PREFIX, ...document]);
}

/** No flags, then one section of kind 0. */
const REPLY_PREFIX = new Uint8Array(5);

function verifyChecksum(frame: Frame): void {
  const { bytes } = frame;
  const at = bytes.length - 4;
  if (crc32c(bytes.subarray(0, at)) !== bytes.readUInt32LE(at)) {
    throw new CommandError(
      50659 /* ChecksumMismatch as the server reports it */,
      'OP_MSG checksum does not match contents',
    );
  }
}

function documentAt(bytes: Buffer, at: number, end: number): Uint8Array {
  if (at + 5 > end) throw new CommandError(9, 'A BSON document is cut off at the end of the message');
  const length = bytes.readInt32LE(at);
  if (length < 5 || at + length > end) {
    throw new CommandError(22, `A BSON document says ${length} bytes where ${end - at} are left in its section`);
  }
  const document = bytes.subarray(at, at + length);
  assertValidBson(document);
  return document;
}

function sequenceAt(bytes: Buffer, at: number, end: number): { name: string; documents: Uint8Array[]; end: number } {
  if (at + 4 > end) throw new CommandError(9, 'A document sequence is cut off');
  const length = bytes.readInt32LE(at);
  const sequenceEnd = at + length;
  if (length < 5 || sequenceEnd > end)
    throw new CommandError(9, `A document sequence has an impossible length, ${length}`);
  const nameEnd = bytes.indexOf(0, at + 4);
  if (nameEnd < 0 || nameEnd >= sequenceEnd) throw new CommandError(9, 'A document sequence has no name');
  const name = bytes.toString('utf8', at + 4, nameEnd);
  const documents: Uint8Array[] = [];
  for (let next = nameEnd + 1; next < sequenceEnd; ) {
    const document = documentAt(bytes, next, sequenceEnd);
    documents.push(document);
    next += document.length;
  }
  return { name, documents, end: sequenceEnd };
}
