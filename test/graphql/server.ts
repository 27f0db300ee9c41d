import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import pino from 'pino';
import { expect } from 'vitest';
import { type App, startApp } from '../../src/app.js';
import { parseConfig } from '../../src/config.js';

/** The whole server on a data directory of its own: Pocket Atlas over a real socket, the hash embedder, real HTTP. */
export interface TestServer {
  readonly url: string;
  readonly app: App;
  /** The lines of the log, parsed. */
  readonly log: Record<string, unknown>[];
  /** Sends an operation; `key` is the bearer token. */
  send(query: string, variables?: object, key?: string): Promise<Answer>;
  /** The data of an operation that must not fail. */
  // biome-ignore lint/suspicious/noExplicitAny: what an operation answers is up to its text
  data(query: string, variables?: object, key?: string): Promise<any>;
  /** The first error's code, message and the response's status; the operation must fail. */
  error(query: string, variables?: object, key?: string): Promise<{ code: string; message: string; status: number }>;
  stop(): Promise<void>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly data: any;
  readonly errors?: readonly { message: string; path?: (string | number)[]; extensions: Record<string, unknown> }[];
}

export async function startTestServer(environment: Record<string, string> = {}): Promise<TestServer> {
  const directory = await mkdtemp(join(tmpdir(), 'gazetteer-'));
  const log: Record<string, unknown>[] = [];
  const logger = pino(
    { level: 'debug', base: null },
    new Writable({
      write(line, _, done) {
        log.push(JSON.parse(String(line)));
        done();
      },
    }),
  );
  const config = parseConfig({
    PORT: '0',
    EMBEDDING_PROVIDER: 'hash',
    GAZETTEER_DATA_DIR: join(directory, 'data'),
    ...environment,
  });
  const app = await startApp(config, logger);
  const send = async (query: string, variables: object = {}, key?: string): Promise<Answer> => {
    const response = await post(app.url, JSON.stringify({ query, variables }), key);
    return {
      status: response.status,
      headers: response.headers,
      ...((await response.json()) as Omit<Answer, 'status' | 'headers'>),
    };
  };
  return {
    url: app.url,
    app,
    log,
    send,
    data: async (query, variables, key) => {
      const { data, errors } = await send(query, variables, key);
      expect(errors).toBeUndefined();
      return data;
    },
    error: async (query, variables, key) => {
      const { status, errors } = await send(query, variables, key);
      expect(errors).toBeDefined();
      return { status, message: errors![0]!.message, code: String(errors![0]!.extensions.code) };
    },
    stop: async () => {
      await app.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

export function post(url: string, body: string, key?: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }), ...headers },
  });
}

/** The log line of the request that a response answers. It is written when the last byte has left. */
export async function logLine(server: TestServer, answer: Pick<Answer, 'headers'>): Promise<Record<string, unknown>> {
  const requestId = answer.headers.get('x-request-id');
  return expect
    .poll(() => server.log.find((line) => line.requestId === requestId && line.msg === 'Request answered'))
    .toBeDefined()
    .then(() => server.log.find((line) => line.requestId === requestId && line.msg === 'Request answered')!);
}

export const UPSERT = `mutation($input: UpsertDocumentInput!) {
  upsertDocument(input: $input) {
    outcome searchable warnings
    document { id title version revision text textLength chunkCount agentIds metadata status lastError }
    changes { chunksAdded chunksKept chunksRemoved chunksEmbedded embeddingTokens }
    userErrors { code message path }
  }
}`;

/** Upserts and returns the payload; `userErrors` are the test's business. */
// biome-ignore lint/suspicious/noExplicitAny: as above
export async function upsert(server: TestServer, input: object, key?: string): Promise<any> {
  return (await server.data(UPSERT, { input }, key)).upsertDocument;
}
