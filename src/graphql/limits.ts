import { AppError, type ErrorCode, type RefusalCode } from '../errors.js';
import { MAX_TEXT_BYTES } from '../ingest/canonical-text.js';
import { MAX_CHUNKS } from '../ingest/cut-text.js';
import { MAX_DOCUMENTS_PER_CALL } from '../ingest/jobs/jobs.js';
import { MAX_LINE_BYTES } from '../ingest/transfer/export-format.js';
import { MAX_DOCUMENT_BYTES, MAX_DOCUMENTS } from '../ingest/transfer/receive-items.js';
import { MAX_QUERY_LENGTH } from '../retrieve/check-request.js';
import { MAX_FILTER_NESTING, MAX_FILTER_TITLES, MAX_FILTER_VALUES } from '../store/check-filter.js';
import { MAX_METADATA_BYTES } from '../store/check-metadata.js';
import { JOB_QUOTA } from '../store/jobs/job-limits.js';

const MIB = 1024 * 1024;

/**
 * The limits of a request, in one place. Those of the API skin are enforced with `limitExceeded`; those of the parts
 * below it stand here with the parts' own numbers. README.md lists the same rows; a test holds the two together.
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
  filterTitles: { maximum: MAX_FILTER_TITLES, unit: 'titles in a search filter', code: 'BAD_USER_INPUT' },
  filterNesting: {
    maximum: MAX_FILTER_NESTING,
    unit: 'levels of filters in filters, the outermost counted',
    code: 'BAD_USER_INPUT',
  },
  filterValues: { maximum: MAX_FILTER_VALUES, unit: 'values in a filter', code: 'BAD_USER_INPUT' },
  jobDocuments: { maximum: MAX_DOCUMENTS_PER_CALL, unit: 'documents in an `ingestDocuments`', code: 'INVALID' },
  jobs: { maximum: JOB_QUOTA.jobs, unit: 'unfinished jobs of an owner', code: 'QUOTA_EXCEEDED' },
  jobItems: { maximum: JOB_QUOTA.items, unit: 'unfinished items of an owner’s jobs', code: 'QUOTA_EXCEEDED' },
  jobPayloadBytes: {
    maximum: JOB_QUOTA.payloadBytes,
    unit: 'bytes that an owner’s jobs are to be run with',
    code: 'QUOTA_EXCEEDED',
  },
  textBytes: { maximum: MAX_TEXT_BYTES, unit: 'bytes of a document’s text as UTF-8', code: 'TOO_LARGE' },
  documentChunks: { maximum: MAX_CHUNKS, unit: 'chunks of a document', code: 'TOO_LARGE' },
  metadataBytes: { maximum: MAX_METADATA_BYTES, unit: 'bytes of metadata as JSON', code: 'TOO_LARGE' },
  queryCharacters: { maximum: MAX_QUERY_LENGTH, unit: 'characters in a search query', code: 'BAD_USER_INPUT' },
  uploadBytes: { maximum: MAX_TEXT_BYTES, unit: 'bytes of an uploaded file', code: 'TOO_LARGE' },
  uploadsAtOnce: { maximum: 100, unit: 'uploads at once', code: 'RATE_LIMITED' },
  importLineBytes: { maximum: MAX_LINE_BYTES, unit: 'bytes in a line of an import', code: 'BAD_USER_INPUT' },
  importDocumentBytes: {
    maximum: MAX_DOCUMENT_BYTES,
    unit: 'bytes of a document’s lines in an import',
    code: 'TOO_LARGE',
  },
  importDocuments: { maximum: MAX_DOCUMENTS, unit: 'documents in an import', code: 'BAD_USER_INPUT' },
  importsAtOnce: { maximum: 4, unit: 'imports arriving at once', code: 'RATE_LIMITED' },
  exportsAtOnce: { maximum: 16, unit: 'exports at once', code: 'RATE_LIMITED' },
  requestsInFlight: { maximum: 1_000, unit: 'requests at once', code: 'RATE_LIMITED' },
  sockets: { maximum: 1_000, unit: 'WebSockets at once', code: 'RATE_LIMITED' },
  socketMessageBytes: { maximum: MIB, unit: 'bytes in a WebSocket message', code: 'BAD_USER_INPUT' },
  subscriptionsPerSocket: { maximum: 20, unit: 'operations at once on a WebSocket', code: 'RATE_LIMITED' },
} as const satisfies Record<string, { maximum: number; unit: string; code: ErrorCode | RefusalCode }>;

export type LimitName = keyof typeof LIMITS;
/** Limits whose refusal is a GraphQL error, not data. */
type OperationLimit = { [N in LimitName]: (typeof LIMITS)[N]['code'] extends ErrorCode ? N : never }[LimitName];

/** The typed refusal of what is above a limit: names the limit, what was got and, where it helps, what to do. */
export function limitExceeded(name: OperationLimit, got: number | string, advice?: string): AppError {
  const { maximum, unit, code } = LIMITS[name];
  const message = `At most ${maximum} ${unit}, got ${got}${advice === undefined ? '' : `: ${advice}`}`;
  return new AppError(code, message, { details: { limit: name, maximum } });
}
