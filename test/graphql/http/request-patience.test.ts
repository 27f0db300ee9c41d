import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { limitPatience } from '../../../src/graphql/http/request-patience.js';

let server: Server;
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const PATIENCE_MS = 200;

/** A server that limits its patience, and reads bodies or lets them wait. */
async function listen(isUnhurried: boolean, read: (request: IncomingMessage) => void): Promise<Socket> {
  server = createServer((request, response) => {
    limitPatience(request, isUnhurried, PATIENCE_MS);
    request.on('error', () => undefined);
    request.on('end', () => response.end('whole'));
    read(request);
  });
  server.requestTimeout = 0;
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n');
  return socket;
}

/** What the server answers until it closes. */
function answerOf(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(answer));
  });
}

/** A byte now and then, ten in all. */
function trickle(socket: Socket, pauseMs: number): void {
  let left = 10;
  const timer = setInterval(() => {
    if (left-- === 0 || socket.destroyed) return clearInterval(timer);
    socket.write('x');
  }, pauseMs);
}

test('a sender that takes too long gets 408', async () => {
  const socket = await listen(false, (request) => request.resume());
  trickle(socket, PATIENCE_MS / 4);
  expect(await answerOf(socket)).toMatch(/^HTTP\/1.1 408 /);
});

test('an unhurried one may take as long as it likes while it goes on', async () => {
  const socket = await listen(true, (request) => request.resume());
  const answer = answerOf(socket);
  trickle(socket, PATIENCE_MS / 4);
  socket.on('data', () => socket.end());
  expect(await answer).toContain('whole');
});

test('but not when it falls silent', async () => {
  const socket = await listen(true, (request) => request.resume());
  socket.write('x');
  expect(await answerOf(socket)).toMatch(/^HTTP\/1.1 408 /);
});
