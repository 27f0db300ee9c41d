import type { IncomingMessage } from 'node:http';
import { answerBadConnection } from './error-answers.js';

/** A sender that is slower must not hold a connection for ever. */
const PATIENCE_MS = 300_000;
const LOOKS = 10;

/**
 * Closes the connection with 408 when a request does not arrive in time: whole within `patienceMs`, or where it is
 * unhurried, when nothing came for so long although it was waited for. (Node's `requestTimeout` knows only the first.)
 */
export function limitPatience(raw: IncomingMessage, isUnhurried: boolean, patienceMs = PATIENCE_MS): void {
  const { socket } = raw;
  let quietMs = 0;
  let seen = socket.bytesRead;
  const timer = setInterval(() => {
    if (raw.complete || raw.destroyed) return clearInterval(timer);
    // What has come and nobody has read yet is ours to hurry about.
    const isMoving = isUnhurried && (socket.bytesRead !== seen || raw.readableLength > 0 || raw.isPaused());
    seen = socket.bytesRead;
    quietMs = isMoving ? 0 : quietMs + patienceMs / LOOKS;
    if (quietMs < patienceMs) return;
    clearInterval(timer);
    const late: NodeJS.ErrnoException = new Error('The request did not arrive in time');
    late.code = 'ERR_HTTP_REQUEST_TIMEOUT';
    answerBadConnection(late, socket);
    raw.destroy();
  }, patienceMs / LOOKS);
  timer.unref();
  raw.once('close', () => clearInterval(timer));
}
