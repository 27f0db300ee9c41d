/**
 * The two kinds of failure that a caller meets.
 *
 * A `Refusal` is expected: the caller can act on it, so the API skin returns it as data (`userErrors`).
 * An `AppError` is an operational failure: it becomes a GraphQL error with `extensions.code` and the HTTP status below.
 * Anything else is a bug: masked and logged.
 */
export const ERROR_CODES = {
  UNAUTHENTICATED: { httpStatus: 401 },
  FORBIDDEN: { httpStatus: 200 },
  BAD_USER_INPUT: { httpStatus: 400 },
  QUERY_TOO_COMPLEX: { httpStatus: 400 },
  RATE_LIMITED: { httpStatus: 429 },
  INDEX_NOT_READY: { httpStatus: 200 },
  EMBEDDING_SPACE_MISMATCH: { httpStatus: 200 },
  PROVIDER_UNAVAILABLE: { httpStatus: 200 },
  DEADLINE_EXCEEDED: { httpStatus: 200 },
  STORE_UNAVAILABLE: { httpStatus: 503 },
  SEARCH_NOT_SUPPORTED: { httpStatus: 200 },
} as const satisfies Record<string, { httpStatus: number }>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** An operational failure. `message` and `details` reach the client: no secrets, no document text. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: { cause?: unknown; details?: Record<string, unknown> } = {}) {
    super(message, { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.details = options.details ?? {};
  }
}

export const REFUSAL_CODES = [
  'INVALID',
  'NOT_FOUND',
  'CONFLICT',
  'TOO_LARGE',
  'EMPTY_TEXT',
  'UNSUPPORTED_MEDIA_TYPE',
  'UNREADABLE',
  'QUOTA_EXCEEDED',
] as const;
export type RefusalCode = (typeof REFUSAL_CODES)[number];

/** An expected failure of a mutation. `path` leads to the input field at fault, e.g. `['input', 'title']`. */
export class Refusal extends Error {
  readonly code: RefusalCode;
  readonly path: readonly string[] | null;

  constructor(
    code: RefusalCode,
    message: string,
    path: readonly string[] | null = null,
    options: { cause?: unknown } = {},
  ) {
    super(message, options);
    this.name = 'Refusal';
    this.code = code;
    this.path = path;
  }
}
