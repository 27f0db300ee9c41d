import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { CliFailure } from './failure.js';

/** A server and who asks it. */
export interface Client {
  /** Runs an operation; GraphQL errors and failures to connect are thrown as `CliFailure`. */
  run<T>(query: string, variables?: Readonly<Record<string, unknown>>): Promise<T>;
  /** The server's GraphQL URL. */
  readonly url: string;
  /**
   * Asks a route beside GraphQL, e.g. `export`. `body` is made anew for each attempt, because a busy server is asked
   * again. Whatever the server answers is returned; failures to connect are thrown as `CliFailure`.
   */
  route(path: string, request?: RouteRequest): Promise<Response>;
}

export interface RouteRequest {
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: () => AsyncIterable<Uint8Array>;
}

interface GraphqlBody {
  readonly data?: unknown;
  readonly errors?: readonly { readonly message: string; readonly extensions?: { readonly code?: string } }[];
}

const MAX_ATTEMPTS = 4;
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 30_000;
/** A large document may be embedded for minutes. */
const TIMEOUT_MS = 1_800_000;

export function makeClient(options: { url: string; apiKey: string | null }): Client {
  const url = graphqlUrl(options.url);
  const credentials: Record<string, string> =
    options.apiKey === null ? { 'x-gazetteer-client': 'cli' } : { authorization: `Bearer ${options.apiKey}` };
  const headers = { 'content-type': 'application/json', accept: 'application/json', ...credentials };
  const ask = async (body: string): Promise<Response> => {
    try {
      return await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(TIMEOUT_MS) });
    } catch (error) {
      throw noAnswer(url, error);
    }
  };
  const askRoute = async (path: string, { method, headers, body }: RouteRequest): Promise<Response> => {
    const target = new URL(path, url);
    try {
      return await fetch(target, {
        method: method ?? 'GET',
        headers: { ...credentials, ...headers },
        ...(body && { body: Readable.toWeb(Readable.from(body(), { objectMode: false })), duplex: 'half' }),
      } as unknown as RequestInit);
    } catch (error) {
      throw noAnswer(target.href, error);
    }
  };
  return {
    url,
    route: async (path, request = {}) => {
      let response = await askRoute(path, request);
      for (let attempt = 1; isBusy(response) && attempt < MAX_ATTEMPTS; attempt += 1) {
        await response.body?.cancel();
        await delay(pauseMs(response, attempt));
        response = await askRoute(path, request);
      }
      return response;
    },
    run: async <T>(query: string, variables: Readonly<Record<string, unknown>> = {}): Promise<T> => {
      const body = JSON.stringify({ query, variables });
      let response = await ask(body);
      for (let attempt = 1; isBusy(response) && attempt < MAX_ATTEMPTS; attempt += 1) {
        await response.body?.cancel();
        await delay(pauseMs(response, attempt));
        response = await ask(body);
      }
      return (await dataOf(response, url)) as T;
    },
  };
}

/** The failure that a route's answer tells of. */
export async function routeFailure(response: Response): Promise<CliFailure> {
  const text = await response.text();
  try {
    const [error] = (JSON.parse(text) as GraphqlBody).errors ?? [];
    if (error) return new CliFailure(`${error.message} (${error.extensions?.code ?? response.status})`);
  } catch {
    // no JSON: said below
  }
  return new CliFailure(`${response.url} answered ${response.status}: is this a Gazetteer?`);
}

function noAnswer(url: string, error: unknown): CliFailure {
  return new CliFailure(`No answer from ${url} (${reason(error)}): is the server running? See --url`);
}

/** The GraphQL URL, also when only the server's address is given. */
export function graphqlUrl(given: string): string {
  if (!URL.canParse(given))
    throw new CliFailure(`--url: expected a URL such as http://127.0.0.1:4000, got ${given}`, 2);
  const url = new URL(given);
  if (url.pathname === '/') url.pathname = '/graphql';
  return url.href;
}

function isBusy({ status }: Response): boolean {
  return status === 429 || status === 503;
}

function pauseMs({ headers }: Response, attempt: number): number {
  const asked = Number(headers.get('retry-after')) * 1000;
  return Math.min(asked > 0 ? asked : FIRST_PAUSE_MS * 2 ** attempt, MAX_PAUSE_MS);
}

async function dataOf(response: Response, url: string): Promise<unknown> {
  const text = await response.text();
  let body: GraphqlBody;
  try {
    body = JSON.parse(text);
  } catch {
    throw new CliFailure(`${url} answered ${response.status} and no JSON: is this a Gazetteer?`);
  }
  const [error] = body.errors ?? [];
  if (error) throw new CliFailure(`${error.message} (${error.extensions?.code ?? response.status})`);
  if (body.data == null) throw new CliFailure(`${url} answered ${response.status} without data`);
  return body.data;
}

function reason(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (cause instanceof Error) return 'code' in cause ? String(cause.code) : cause.message;
  return String(cause);
}
