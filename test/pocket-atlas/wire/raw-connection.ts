import { connect, type Socket } from 'node:net';
import { BSON, type Document } from 'mongodb';
import { encodeFrame, type Frame, FrameSplitter, OPCODE } from '../../../src/pocket-atlas/wire/frame.js';

/** A connection that sends exactly the bytes it is told to. */
export class RawConnection {
  readonly socket: Socket;
  readonly #frames: Frame[] = [];
  readonly #splitter = new FrameSplitter();
  #wake: () => void = () => {};
  #requestId = 0;
  closed = false;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (chunk) => {
      this.#frames.push(...this.#splitter.push(chunk));
      this.#wake();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      this.closed = true;
      this.#wake();
    });
  }

  static async open(uri: string): Promise<RawConnection> {
    const address = decodeURIComponent(uri.slice('mongodb://'.length, uri.indexOf('/?')));
    const socket = address.startsWith('/')
      ? connect(address)
      : connect(Number(address.split(':')[1]), address.split(':')[0]);
    await new Promise((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    return new RawConnection(socket);
  }

  /** Returns the request id. */
  sendCommand(command: Document, flags = 0, ...sections: readonly Uint8Array[]): number {
    const flagBytes = Buffer.alloc(4);
    flagBytes.writeUInt32LE(flags);
    return this.sendFrame(OPCODE.message, flagBytes, Buffer.from([0]), BSON.serialize(command), ...sections);
  }

  sendFrame(opCode: number, ...parts: readonly Uint8Array[]): number {
    this.#requestId += 1;
    this.socket.write(encodeFrame(opCode, this.#requestId, 0, parts));
    return this.#requestId;
  }

  /** The next reply, or undefined when the connection was closed instead. */
  async next(): Promise<Frame | undefined> {
    while (this.#frames.length === 0 && !this.closed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#frames.shift();
  }

  async nextDocument(): Promise<Document> {
    const frame = await this.next();
    if (frame === undefined) throw new Error('the connection was closed instead of an answer');
    return BSON.deserialize(frame.body.subarray(frame.opCode === OPCODE.reply ? 20 : 5));
  }

  async command(command: Document): Promise<Document> {
    this.sendCommand(command);
    return this.nextDocument();
  }

  close(): void {
    this.socket.destroy();
  }
}
