/** Message framing of the MongoDB wire protocol: a 16-byte header, then the body. Source: "MongoDB Wire Protocol" manual page. */
export const HEADER_BYTES = 16;
/** maxMessageSizeBytes of hello. */
export const MESSAGE_BYTES_MAX = 48_000_000;

export const OPCODE = { reply: 1, query: 2004, compressed: 2012, message: 2013 } as const;

export interface Frame {
  readonly requestId: number;
  readonly responseTo: number;
  readonly opCode: number;
  /** What follows the header. */
  readonly body: Buffer;
  /** The whole message: a checksum covers the header too. */
  readonly bytes: Buffer;
}

/** The byte stream can no longer be cut into messages: the connection has to be closed. */
export class BrokenFrameError extends Error {
  override readonly name = 'BrokenFrameError';
}

/** Cuts a byte stream into frames. Holds at most one unfinished message, so at most MESSAGE_BYTES_MAX bytes and one chunk. */
export class FrameSplitter {
  #chunks: Buffer[] = [];
  #held = 0;

  /** Bytes of a message whose end has not come yet. */
  get heldBytes(): number {
    return this.#held;
  }

  /** Throws BrokenFrameError on a length that no message can have. */
  push(chunk: Buffer): Frame[] {
    this.#chunks.push(chunk);
    this.#held += chunk.length;
    const frames: Frame[] = [];
    for (let frame = this.#next(); frame !== undefined; frame = this.#next()) frames.push(frame);
    return frames;
  }

  #next(): Frame | undefined {
    if (this.#held < 4) return undefined;
    if (this.#chunks[0]!.length < 4) this.#join();
    const length = this.#chunks[0]!.readInt32LE(0);
    if (length < HEADER_BYTES || length > MESSAGE_BYTES_MAX) {
      throw new BrokenFrameError(
        `A message of ${length} bytes: expected ${HEADER_BYTES} to ${MESSAGE_BYTES_MAX} (not a MongoDB client?)`,
      );
    }
    if (this.#held < length) return undefined;
    if (this.#chunks[0]!.length < length) this.#join();
    const first = this.#chunks[0]!;
    const bytes = first.subarray(0, length);
    if (first.length === length) this.#chunks.shift();
    else this.#chunks[0] = first.subarray(length);
    this.#held -= length;
    return {
      requestId: bytes.readInt32LE(4),
      responseTo: bytes.readInt32LE(8),
      opCode: bytes.readInt32LE(12),
      body: bytes.subarray(HEADER_BYTES),
      bytes,
    };
  }

  #join(): void {
    this.#chunks = [Buffer.concat(this.#chunks)];
  }
}

export function encodeFrame(
  opCode: number,
  requestId: number,
  responseTo: number,
  parts: readonly Uint8Array[],
): Buffer {
  let length = HEADER_BYTES;
  for (const part of parts) length += part.length;
  const frame = Buffer.allocUnsafe(length);
  frame.writeInt32LE(length, 0);
  frame.writeInt32LE(requestId, 4);
  frame.writeInt32LE(responseTo, 8);
  frame.writeInt32LE(opCode, 12);
  let at = HEADER_BYTES;
  for (const part of parts) {
    frame.set(part, at);
    at += part.length;
  }
  return frame;
}
