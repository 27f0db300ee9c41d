import { AppError } from '../../errors.js';

export const OPENAI_BASE_URL = 'https://api.openai.com/v1';
const PATH = '/embeddings';

/** Where an OpenAI-compatible server takes embedding requests, from a base URL as people type it. */
export interface Endpoint {
  /** What the SDK puts `/embeddings` behind: no query, no slash at the end. */
  readonly baseUrl: string;
  /** The query string's parameters (Azure's `api-version`), sent with every request. */
  readonly query: Readonly<Record<string, string>>;
  /** Azure takes its key in a header of its own. */
  readonly isAzure: boolean;
  readonly isOpenai: boolean;
  readonly isJina: boolean;
  /** The URL asked, for messages: without credentials, and of the query only the API version. */
  readonly shown: string;
}

/**
 * Takes the base with or without `/v1`, a slash at the end, `/embeddings`, or a query string.
 *
 * @throws AppError BAD_USER_INPUT for what is not an http(s) URL.
 */
export function endpointOf(typed: string): Endpoint {
  const url = parsed(typed.trim());
  let path = url.pathname.replace(/\/{2,}/g, '/').replace(/\/+$/, '');
  if (path.endsWith(PATH)) path = path.slice(0, -PATH.length).replace(/\/+$/, '');
  // a bare host: the API lives under /v1 everywhere
  if (path === '') path = '/v1';
  const isAzure =
    /\.azure\.com$/.test(url.hostname) || path.includes('/openai/deployments/') || url.searchParams.has('api-version');
  const version = url.searchParams.get('api-version');
  const origin = `${url.protocol}//${url.host}`;
  return {
    baseUrl: `${origin}${path}`,
    query: Object.fromEntries(url.searchParams),
    isAzure,
    isOpenai: url.hostname === 'api.openai.com',
    isJina: url.hostname === 'api.jina.ai',
    shown: `${origin}${path}${PATH}${version === null ? '' : `?api-version=${version}`}`,
  };
}

function parsed(typed: string): URL {
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(typed) ? typed : `http://${typed}`;
  try {
    const url = new URL(withScheme);
    if ((url.protocol === 'http:' || url.protocol === 'https:') && url.username === '') return url;
  } catch {
    // said below, without repeating what may hold a key
  }
  throw new AppError(
    'BAD_USER_INPUT',
    'Expected OPENAI_BASE_URL to be an http or https URL without credentials in it, such as http://127.0.0.1:11434/v1',
  );
}
