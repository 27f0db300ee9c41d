import { AppError, type ErrorCode, Refusal } from '../../errors.js';
import type { ItemError } from '../../store/jobs/job-records.js';

/** The same input may succeed later. */
const RETRYABLE: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'PROVIDER_UNAVAILABLE',
  'DEADLINE_EXCEEDED',
  'STORE_UNAVAILABLE',
  'INDEX_NOT_READY',
  'RATE_LIMITED',
  // with another key
  'UNAUTHENTICATED',
]);

/** What people are told about a failed item. Null: a bug, which is masked and belongs into the log. */
export function itemErrorOf(error: unknown): ItemError | null {
  if (error instanceof Refusal)
    return { code: error.code, message: error.message, retryable: error.code === 'QUOTA_EXCEEDED' };
  if (error instanceof AppError) {
    const { retryable } = error.details;
    return {
      code: error.code,
      message: error.message,
      retryable: typeof retryable === 'boolean' ? retryable : RETRYABLE.has(error.code),
    };
  }
  return null;
}

export const MASKED: ItemError = {
  code: 'INTERNAL_SERVER_ERROR',
  message: 'Internal error; the server’s log says more',
  retryable: true,
};
