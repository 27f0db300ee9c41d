import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hashVector } from '../../src/embed/hash.js';
import { isBlank } from '../../src/embed/text-class.js';

/**
 * An OpenAI-compatible embeddings server on loopback that behaves, or misbehaves, as people have reported. Its vectors are
 * those of the `hash` embedder repeated up to the dimensions asked for, so similar texts stay similar.
 */
export type FakeMode =
  /** base64 when asked for it, else numbers. */
  | 'ok'
  /** Plain numbers whatever was asked. */
  | 'floats'
  /** base64 whatever was asked. */
  | 'base64'
  /** 400 for a request that holds a blank text. */
  | 'no-blank'
  /** 404 for any path but /v1/embeddings. */
  | 'strict-path'
  /** 404 but for a deployment's path with an api-version, and 401 without the api-key header. */
  | 'azure'
  /** Accepts and never answers. */
  | 'stall'
  /** Sends headers and half a body, then nothing. */
  | 'stall-body'
  | 'empty-200'
  | 'empty-data'
  /** One vector too few. */
  | 'short'
  /** The right vectors, last first, numbered. */
  | 'reordered'
  /** The first number twice. */
  | 'repeated'
  /** No numbers at all, in order. */
  | 'unnumbered'
  /** One dimension too few. */
  | 'narrow'
  | 'zeros'
  | 'not-json'
  | 'rate-limited'
  | 'quota'
  | 'refused'
  | 'broken'
  /** 422 for more than 16 texts. */
  | 'small-batches';

export interface LoggedRequest {
  readonly path: string;
  readonly query: string;
  readonly status: number;
  readonly inputs: readonly string[];
  readonly blank: number;
  readonly model: string;
  readonly encodingFormat: string | undefined;
  readonly dimensions: number | undefined;
  readonly task: string | undefined;
  readonly lateChunking: boolean | undefined;
  readonly authorization: string | undefined;
  readonly apiKey: string | undefined;
}

export interface FakeOpenai {
  /** Without a path, e.g. http://127.0.0.1:41234 */
  readonly origin: string;
  /** With /v1. */
  readonly baseUrl: string;
  readonly requests: LoggedRequest[];
  /** How the next requests are answered: one mode each, the last for all that follow. */
  answerWith(...modes: FakeMode[]): void;
  /** Headers of the error answers, e.g. { 'retry-after': '2' }. */
  errorHeaders: Record<string, string>;
  close(): Promise<void>;
}

const STATUS_ERRORS: Partial<Record<FakeMode, { status: number; code: string; message: string }>> = {
  'rate-limited': { status: 429, code: 'rate_limit_exceeded', message: 'Rate limit reached' },
  quota: { status: 429, code: 'insufficient_quota', message: 'You exceeded your current quota' },
  refused: { status: 401, code: 'invalid_api_key', message: 'Incorrect API key provided: sk-secret' },
  broken: { status: 503, code: 'overloaded', message: 'Overloaded' },
};

export async function startFakeOpenai(options: { dimensions?: number; mode?: FakeMode } = {}): Promise<FakeOpenai> {
  const { dimensions: native = 1_536 } = options;
  const requests: LoggedRequest[] = [];
  let modes: FakeMode[] = [options.mode ?? 'ok'];
  const fake = { errorHeaders: {} as Record<string, string> };

  const server = createServer((request, response) => {
    void answer(request, response).catch(() => response.destroy());
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const mode = modes.length > 1 ? modes.shift()! : modes[0]!;
    const url = new URL(request.url!, 'http://fake');
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString() || '{}') as Record<string, unknown>;
    const inputs = [body.input ?? []].flat() as string[];
    const failure = failureOf(mode, request, url, inputs);
    requests.push({
      path: url.pathname,
      query: url.search,
      status: failure?.status ?? 200,
      inputs,
      blank: inputs.filter((text) => isBlank(text)).length,
      model: String(body.model),
      encodingFormat: body.encoding_format as string | undefined,
      dimensions: body.dimensions as number | undefined,
      task: body.task as string | undefined,
      lateChunking: body.late_chunking as boolean | undefined,
      authorization: request.headers.authorization,
      apiKey: request.headers['api-key'] as string | undefined,
    });
    if (failure) {
      const { status, code, message } = failure;
      response.writeHead(status, { 'content-type': 'application/json', ...fake.errorHeaders });
      response.end(JSON.stringify({ error: { message, type: code, code, param: null } }));
      return;
    }
    if (mode === 'stall') return;
    response.writeHead(200, { 'content-type': 'application/json' });
    if (mode === 'empty-200') return void response.end();
    if (mode === 'not-json') return void response.end('<html>Gateway</html>');
    const wanted = (body.dimensions as number | undefined) ?? native;
    const json = JSON.stringify({
      object: 'list',
      model: body.model,
      data: dataOf(mode, inputs, wanted, body.encoding_format),
    });
    if (mode === 'stall-body') return void response.write(json.slice(0, json.length / 2));
    response.end(json);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(fake, {
    origin,
    baseUrl: `${origin}/v1`,
    requests,
    answerWith(...next: FakeMode[]) {
      modes = next;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

function failureOf(mode: FakeMode, request: IncomingMessage, url: URL, inputs: readonly string[]) {
  if (mode === 'strict-path' && url.pathname !== '/v1/embeddings')
    return { status: 404, code: 'not_found', message: 'Not found' };
  if (mode === 'azure') {
    const isDeployment = /^\/openai\/deployments\/[^/]+\/embeddings$/.test(url.pathname);
    if (!isDeployment || url.search !== '?api-version=2024-10-21')
      return { status: 404, code: '404', message: 'Resource not found' };
    if (!request.headers['api-key']) return { status: 401, code: '401', message: 'Access denied' };
  }
  if (mode === 'no-blank' && inputs.some((text) => isBlank(text))) {
    return { status: 400, code: 'invalid_request_error', message: "'$.input' is invalid" };
  }
  if (mode === 'small-batches' && inputs.length > 16) {
    return { status: 422, code: 'validation', message: `batch size ${inputs.length} > maximum allowed batch size 16` };
  }
  return STATUS_ERRORS[mode];
}

function dataOf(mode: FakeMode, inputs: readonly string[], dimensions: number, format: unknown): object[] {
  if (mode === 'empty-data') return [];
  const width = mode === 'narrow' ? dimensions - 1 : dimensions;
  const isBase64 = mode === 'base64' || (mode !== 'floats' && format === 'base64');
  const data = inputs.map((text, index) => {
    const vector = mode === 'zeros' ? new Float32Array(width) : fakeVector(text, width);
    const embedding = isBase64 ? Buffer.from(vector.buffer).toString('base64') : [...vector];
    if (mode === 'unnumbered') return { embedding };
    return { object: 'embedding', index: mode === 'repeated' ? 0 : index, embedding };
  });
  if (mode === 'short') data.pop();
  return mode === 'reordered' ? data.reverse() : data;
}

/** What the server answers for a text. */
export function fakeVector(text: string, dimensions: number): Float32Array {
  const hashed = hashVector(text);
  const vector = new Float32Array(dimensions);
  for (let axis = 0; axis < Math.max(dimensions, hashed.length); axis++) {
    vector[axis % dimensions]! += hashed[axis % hashed.length]!;
  }
  const length = Math.hypot(...vector);
  return length === 0 ? vector.fill(1 / Math.sqrt(dimensions)) : vector.map((value) => value / length);
}
