import { setTimeout as delay } from 'node:timers/promises';
import { CliFailure } from './failure.js';

/** A server and who asks it. */
export interface Client {
  /** Runs an operation; GraphQL errors and failures to connect are thrown as `CliFailure`. */
  run<T>(query: string, variables?: Readonly<Record<string, unknown>>): Promise<T>;
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
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    ...(options.apiKey === null ? {} : { authorization: `Bearer ${options.apiKey}` }),
  };
  const ask = async (body: string): Promise<Response> => {
    try {
      return await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(TIMEOUT_MS) });
    } catch (error) {
      throw new CliFailure(`No answer from ${url} (${reason(error)}): is the server running? See --url`);
    }
  };
  return {
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
