import type { Socket } from 'node:net';
import { type Frame, FrameSplitter, MESSAGE_BYTES_MAX } from './frame.js';

/** Frames that may wait behind the one being answered before the socket is no longer read. */
const WAITING_FRAMES_MAX = 8;
const WAITING_BYTES_MAX = MESSAGE_BYTES_MAX;
/** A message whose rest does not come within this time ends its connection. */
const STALLED_MESSAGE_MS = 120_000;

/** Answers one frame: the bytes to send back, or null for none. It never rejects. */
export type Answer = (frame: Frame) => Promise<Buffer | null>;

/** Closes the connection instead of answering. */
export class CloseConnectionError extends Error {
  override readonly name = 'CloseConnectionError';
}

/**
 * One client connection: reads frames, answers them one after the other in order, and stops reading while too much waits
 * (in either direction). Resolves when the socket is closed; whatever happens on it stays on it.
 */
export async function serveConnection(socket: Socket, answer: Answer): Promise<void> {
  const splitter = new FrameSplitter();
  const waiting: Frame[] = [];
  let waitingBytes = 0;
  let answering = false;

  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
  });
  socket.on('error', () => socket.destroy());
  socket.setNoDelay(true);
  socket.setTimeout(STALLED_MESSAGE_MS, () => {
    if (splitter.heldBytes > 0) socket.destroy();
  });

  const answerAll = async (): Promise<void> => {
    answering = true;
    try {
      for (let frame = waiting.shift(); frame !== undefined; frame = waiting.shift()) {
        waitingBytes -= frame.bytes.length;
        const reply = await answer(frame);
        if (reply !== null && socket.writable && !socket.write(reply)) await drained(socket);
        if (socket.isPaused() && waiting.length < WAITING_FRAMES_MAX && waitingBytes < WAITING_BYTES_MAX)
          socket.resume();
      }
    } catch {
      // CloseConnectionError, or a fault below: either way this connection can promise nothing more.
      socket.destroy();
    } finally {
      answering = false;
    }
  };

  socket.on('data', (chunk: Buffer) => {
    try {
      for (const frame of splitter.push(chunk)) {
        waiting.push(frame);
        waitingBytes += frame.bytes.length;
      }
    } catch {
      socket.destroy();
      return;
    }
    if (waiting.length >= WAITING_FRAMES_MAX || waitingBytes >= WAITING_BYTES_MAX) socket.pause();
    if (!answering && waiting.length > 0) void answerAll();
  });

  await closed;
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      socket.off('drain', done);
      socket.off('close', done);
      resolve();
    };
    socket.on('drain', done);
    socket.on('close', done);
    if (socket.destroyed) done();
  });
}
