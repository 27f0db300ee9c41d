import { AppError } from '../../errors.js';

export interface JsonEndpoint {
  readonly url: string;
  readonly apiKey: string | undefined;
  readonly fetch: typeof fetch | undefined;
}

/** What a reranker may answer at most; scores of a few hundred passages are some kilobytes. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/**
 * Posts JSON and reads JSON. One try: the deadline is short, and the order before reranking is a good answer. Throws
 * `AppError` PROVIDER_UNAVAILABLE with the host and the status, never with what was sent or the key.
 */
export async function postJson(endpoint: JsonEndpoint, body: unknown, signal: AbortSignal): Promise<unknown> {
  const { host } = new URL(endpoint.url);
  let response: Response;
  let text: string;
  try {
    response = await (endpoint.fetch ?? fetch)(endpoint.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(endpoint.apiKey !== undefined && { authorization: `Bearer ${endpoint.apiKey}` }),
      },
      body: JSON.stringify(body),
      signal,
    });
    text = await readText(response);
  } catch (cause) {
    if (signal.aborted)
      throw new AppError('DEADLINE_EXCEEDED', `${host} did not answer in the time allowed`, { cause });
    throw unavailable(host, 'cannot be reached', cause);
  }
  if (!response.ok) throw unavailable(host, `answered with status ${response.status}`);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw unavailable(host, `answered with ${text === '' ? 'an empty body' : 'something that is not JSON'}`, cause);
  }
}

async function readText(response: Response): Promise<string> {
  if (response.body === null) return '';
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const part of response.body as unknown as AsyncIterable<Uint8Array>) {
    bytes += part.byteLength;
    if (bytes > MAX_ANSWER_BYTES) throw new Error(`The answer is longer than ${MAX_ANSWER_BYTES} bytes`);
    text += decoder.decode(part, { stream: true });
  }
  return text + decoder.decode();
}

function unavailable(host: string, problem: string, cause?: unknown): AppError {
  return new AppError('PROVIDER_UNAVAILABLE', `The reranker at ${host} ${problem}`, {
    cause,
    details: { provider: 'reranker', retryable: true },
  });
}
