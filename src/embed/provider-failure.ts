import { AppError } from '../errors.js';

/** Why a provider gave no vectors; in `details.reason` of PROVIDER_UNAVAILABLE, with what to do about it. */
export const PROVIDER_FAILURES = {
  MISSING_KEY: { retryable: false, advice: 'set OPENAI_API_KEY' },
  REFUSED_KEY: { retryable: false, advice: 'check OPENAI_API_KEY and its permissions' },
  OUT_OF_QUOTA: { retryable: false, advice: 'add credit or raise the limit of the account' },
  RATE_LIMITED: { retryable: true, advice: 'try again later' },
  UNREACHABLE: { retryable: true, advice: 'check OPENAI_BASE_URL and that the server runs' },
  FAILED: { retryable: true, advice: 'try again later' },
  REJECTED: { retryable: false, advice: 'check OPENAI_BASE_URL and EMBEDDING_MODEL' },
  BAD_ANSWER: { retryable: false, advice: 'check that EMBEDDING_MODEL is an embedding model of that server' },
} as const satisfies Record<string, { retryable: boolean; advice: string }>;

export type ProviderFailureReason = keyof typeof PROVIDER_FAILURES;

export function providerFailure(
  provider: string,
  reason: ProviderFailureReason,
  problem: string,
  options: { cause?: unknown; details?: Record<string, unknown> } = {},
): AppError {
  const { retryable, advice } = PROVIDER_FAILURES[reason];
  return new AppError('PROVIDER_UNAVAILABLE', `${problem}: ${advice}`, {
    cause: options.cause,
    details: { provider, reason, retryable, ...options.details },
  });
}
