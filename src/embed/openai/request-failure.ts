import { AppError } from '../../errors.js';
import { type ProviderFailureReason, providerFailure } from '../provider-failure.js';
import { type Failure, retryAfterMs } from '../retry.js';
import { BadAnswer } from './answer.js';

/** What the SDK throws, by shape: its classes are loaded lazily and only the fields matter. */
interface ApiFailure {
  readonly status?: number;
  readonly code?: unknown;
  readonly type?: unknown;
  readonly message?: string;
  readonly headers?: Headers;
  readonly cause?: unknown;
}

/** A request that took longer than it may. */
export class RequestTimeout extends Error {}

/** An attempt's failure: the error to show, whether to try again, and whether a smaller batch might pass. */
export interface RequestFailure extends Failure {
  readonly error: AppError;
  readonly isTooLarge: boolean;
}

const TOO_LARGE_STATUSES = new Set([400, 413, 422]);
const TOO_LARGE = /batch|too (many|large|long|big)|maximum|max |limit|tokens|size/i;

export function requestFailure(
  thrown: unknown,
  place: { model: string; url: string; now: number; texts: number },
): RequestFailure {
  const { model, url } = place;
  if (thrown instanceof BadAnswer) return failure('BAD_ANSWER', `${thrown.message} (model ${model})`, thrown);
  if (thrown instanceof RequestTimeout) {
    const error = new AppError('DEADLINE_EXCEEDED', `${thrown.message} from ${url}`, {
      cause: thrown,
      details: { provider: 'openai', retryable: true },
    });
    return { error, isRetryable: true, retryAfterMs: null, isTooLarge: false };
  }
  const { status, code, type, message, headers, cause } = (thrown ?? {}) as ApiFailure;
  const details = status === undefined ? {} : { status };
  if (status === undefined) {
    return failure('UNREACHABLE', `No answer from ${url}${causeName(cause ?? thrown)}`, thrown);
  }
  const wait = retryAfterMs((name) => headers?.get(name) ?? null, place.now);
  const said = `${url} answered ${status}`;
  if (status === 401 || status === 403) return failure('REFUSED_KEY', `${said}: the key was refused`, thrown, details);
  if (code === 'insufficient_quota' || type === 'insufficient_quota' || status === 402) {
    return failure('OUT_OF_QUOTA', `${said}: the account is out of quota`, thrown, details);
  }
  if (status === 429) {
    const seconds = wait === null ? {} : { retryAfterSeconds: Math.ceil(wait / 1_000) };
    return {
      ...failure('RATE_LIMITED', `${said}: too many requests`, thrown, { ...details, ...seconds }),
      retryAfterMs: wait,
    };
  }
  if (status >= 500 || status === 408 || status === 409) {
    return { ...failure('FAILED', said, thrown, details), retryAfterMs: wait };
  }
  const isTooLarge =
    place.texts > 1 && TOO_LARGE_STATUSES.has(status) && (status === 413 || TOO_LARGE.test(message ?? ''));
  return { ...failure('REJECTED', `${said} (model ${model})`, thrown, details), isTooLarge };
}

function failure(
  reason: ProviderFailureReason,
  problem: string,
  thrown: unknown,
  details: Record<string, unknown> = {},
): RequestFailure {
  const error = providerFailure('openai', reason, problem, { cause: withoutSecrets(thrown), details });
  return { error, isRetryable: error.details.retryable === true, retryAfterMs: null, isTooLarge: false };
}

/** A cause that logs may print: the SDK's own error carries headers, and a server's message may quote the key or the text. */
function withoutSecrets(thrown: unknown): Error | undefined {
  if (!(thrown instanceof Error) || thrown instanceof BadAnswer) return undefined;
  return new Error(`${thrown.constructor.name}${causeName((thrown as { cause?: unknown }).cause)}`);
}

/** ` (ECONNREFUSED)`, or nothing: a network error's code holds no secret, its message might. */
function causeName(cause: unknown): string {
  for (let at = cause, depth = 0; at && depth < 4; at = (at as { cause?: unknown }).cause, depth++) {
    const { code } = at as { code?: unknown };
    if (typeof code === 'string' && /^[A-Z_]+$/.test(code)) return ` (${code})`;
  }
  return '';
}
