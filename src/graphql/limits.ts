import { AppError, type ErrorCode } from '../errors.js';

const MIB = 1024 * 1024;

/**
 * Every limit of the API skin, in one place. README.md lists the same rows; a test holds the two together.
 * Limits of the text itself (50 MB), of chunking and of embedding belong to `ingest/` and `embed/`.
 */
export const LIMITS = {
  requestBodyBytes: { maximum: 72 * MIB, unit: 'bytes in a GraphQL request body', code: 'BAD_USER_INPUT' },
  operationTokens: { maximum: 20_000, unit: 'lexical tokens in an operation', code: 'QUERY_TOO_COMPLEX' },
  literalNesting: { maximum: 200, unit: 'brackets open at once in an operation', code: 'QUERY_TOO_COMPLEX' },
  jsonNesting: { maximum: 200, unit: 'levels of nesting in a JSON body', code: 'BAD_USER_INPUT' },
  selectionDepth: {
    maximum: 12,
    unit: 'levels of nested fields, introspection exempt',
    code: 'QUERY_TOO_COMPLEX',
  },
  rootFields: { maximum: 20, unit: 'fields at the root of an operation', code: 'QUERY_TOO_COMPLEX' },
  selectedFields: {
    maximum: 5_000,
    unit: 'fields of an operation once its fragments are spread',
    code: 'QUERY_TOO_COMPLEX',
  },
  cost: { maximum: 20_000, unit: 'objects that an operation may return', code: 'QUERY_TOO_COMPLEX' },
  responseTextBytes: { maximum: 64 * MIB, unit: 'bytes of text in a response', code: 'QUERY_TOO_COMPLEX' },
  first: { maximum: 100, unit: 'items per page (`first`)', code: 'BAD_USER_INPUT' },
  ids: { maximum: 100, unit: 'ids in `nodes(ids:)`', code: 'BAD_USER_INPUT' },
  filterTitles: { maximum: 100, unit: 'titles in a search filter', code: 'BAD_USER_INPUT' },
  filterNesting: { maximum: 8, unit: 'levels of and/or/not in a filter', code: 'BAD_USER_INPUT' },
  filterValues: { maximum: 500, unit: 'values in a filter', code: 'BAD_USER_INPUT' },
  queryCharacters: { maximum: 8_000, unit: 'characters in a search query', code: 'BAD_USER_INPUT' },
  requestsInFlight: { maximum: 1_000, unit: 'requests at once', code: 'RATE_LIMITED' },
  sockets: { maximum: 1_000, unit: 'WebSockets at once', code: 'RATE_LIMITED' },
  socketMessageBytes: { maximum: MIB, unit: 'bytes in a WebSocket message', code: 'BAD_USER_INPUT' },
  subscriptionsPerSocket: { maximum: 20, unit: 'operations at once on a WebSocket', code: 'RATE_LIMITED' },
} as const satisfies Record<string, { maximum: number; unit: string; code: ErrorCode }>;

export type LimitName = keyof typeof LIMITS;

/** The typed refusal of what is above a limit: names the limit, what was got and, where it helps, what to do. */
export function limitExceeded(name: LimitName, got: number | string, advice?: string): AppError {
  const { maximum, unit, code } = LIMITS[name];
  const message = `At most ${maximum} ${unit}, got ${got}${advice === undefined ? '' : `: ${advice}`}`;
  return new AppError(code, message, { details: { limit: name, maximum } });
}
