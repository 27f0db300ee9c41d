import { Agent, request } from 'node:http';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer, upsert } from '../server.js';

let server: TestServer;
let file: string;
beforeAll(async () => {
  server = await startTestServer();
  await upsert(server, { title: 'pump', text: 'A centrifugal pump must be primed.' });
  file = await (await fetch(new URL('/export', server.url))).text();
});
afterAll(async () => server?.stop());

/** More than what sockets and streams hold on their own. */
const REST = `${'x'.repeat(1024)}\n`.repeat(4 * 1024);

test.each([
  ['lines after the end', () => file + REST, 400],
  ['a damaged first line', () => `rubbish\n${REST}`, 400],
  ['another embedding space', () => file.replaceAll('"dimensions":256', '"dimensions":128') + REST, 409],
])('an import refused for %s leaves its connection to the next request', async (_what, body, status) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const refused = await answered(agent, '/import', body());
  expect(refused.status).toBe(status);
  const next = await answered(agent, '/graphql', '{"query":"{ viewer { ownerId } }"}');
  expect(next).toMatchObject({ status: 200 });
  expect(next.socket).toBe(refused.socket);
  agent.destroy();
});

function answered(agent: Agent, path: string, body: string): Promise<{ status: number; socket: Socket | null }> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'x-gazetteer-client': 'test', 'content-length': body.length };
    const sent = request(new URL(path, server.url), { method: 'POST', agent, headers }, (response) => {
      response.resume();
      response.on('end', () => resolve({ status: response.statusCode ?? 0, socket: sent.socket }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
