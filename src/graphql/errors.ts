import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { AppError, ERROR_CODES, type ErrorCode, Refusal } from '../errors.js';
import { currentTrace } from './current-request.js';

/**
 * The one place that decides what a client may see of a failure. Deliberate errors (`AppError`, GraphQL's own) pass with
 * their code; anything else becomes a generic message with the request's id, and goes to the log instead.
 */
export type LogUnknown = (error: unknown, requestId: string | undefined) => void;

export interface ErrorBody {
  readonly message: string;
  readonly extensions: Readonly<Record<string, unknown>> & { readonly code: string };
}

/** A failure as a GraphQL error with its code and, for errors that end a request, its HTTP status. */
export function toGraphQLError(error: AppError, options: { httpStatus?: number; headers?: [string, string][] } = {}) {
  return new GraphQLError(error.message, {
    originalError: error,
    extensions: {
      code: error.code,
      ...error.details,
      http: { status: options.httpStatus ?? requestStatus(error.code), headers: new Map(options.headers ?? []) },
    },
  });
}

/** The status of a response that holds nothing but this error. */
export function requestStatus(code: string): number {
  const status = isErrorCode(code) ? ERROR_CODES[code].httpStatus : 500;
  // FORBIDDEN for one field of many is 200; a whole request that is forbidden is not
  return code === 'FORBIDDEN' ? 403 : status;
}

/** Apollo's `formatError`, and the formatter of every other transport. */
export function makeFormatError(logUnknown: LogUnknown) {
  return (formatted: GraphQLFormattedError, thrown: unknown): GraphQLFormattedError => {
    const { message, extensions } = errorBody(formatted, thrown, logUnknown);
    currentTrace()?.errorCodes.add(extensions.code);
    const { locations, path } = formatted;
    return { message, ...(locations && { locations }), ...(path && { path }), extensions };
  };
}

function errorBody(formatted: GraphQLFormattedError, thrown: unknown, logUnknown: LogUnknown): ErrorBody {
  const cause = rootCause(thrown);
  const deliberate = deliberateBody(cause);
  if (deliberate) return deliberate;
  const code = (cause instanceof GraphQLError && codeOf(cause)) || formatted.extensions?.code;
  // GraphQL's own: syntax, validation, coercion, and the HTTP rules of GraphQL
  if (cause instanceof GraphQLError && typeof code === 'string' && code !== 'INTERNAL_SERVER_ERROR')
    return { message: withoutLongLiterals(formatted.message), extensions: { code } };
  // a leaf's own complaint has no place in the operation; the one around it has
  if (cause instanceof GraphQLError && [cause, thrown].some(isInputComplaint))
    return { message: withoutLongLiterals(formatted.message), extensions: { code: 'BAD_USER_INPUT' } };
  return maskedBody(cause, logUnknown);
}

/** What every route answers for a failure; null for one that nobody meant to send. */
export function deliberateBody(error: unknown): ErrorBody | null {
  if (error instanceof AppError) return { message: error.message, extensions: { code: error.code, ...error.details } };
  // a refusal outside of a mutation has no payload to travel in
  if (error instanceof Refusal)
    return {
      message: error.message,
      extensions: { code: 'BAD_USER_INPUT', ...(error.path && { inputPath: error.path }) },
    };
  if (error instanceof Error && error.name === 'TimeoutError')
    return { message: 'The time limit passed before the answer was there', extensions: { code: 'DEADLINE_EXCEEDED' } };
  if (error instanceof Error && error.name === 'AbortError')
    return { message: 'The request was cancelled', extensions: { code: 'DEADLINE_EXCEEDED' } };
  return null;
}

export function maskedBody(error: unknown, logUnknown: LogUnknown): ErrorBody {
  const requestId = currentTrace()?.requestId;
  logUnknown(error, requestId);
  return {
    message: 'Internal server error',
    extensions: { code: 'INTERNAL_SERVER_ERROR', ...(requestId !== undefined && { requestId }) },
  };
}

/** Apollo gives some of its refusals a status and no code. */
function codeOf({ extensions: { code, http } }: GraphQLError): unknown {
  const { status } = (http ?? {}) as { status?: number };
  return code ?? (status !== undefined && status >= 400 && status < 500 ? 'BAD_REQUEST' : undefined);
}

/** Resolver errors arrive wrapped, once per layer. */
function rootCause(error: unknown): unknown {
  let cause = error;
  while (cause instanceof GraphQLError && cause.originalError) cause = cause.originalError;
  return cause;
}

/** Errors that graphql-js raises while it coerces arguments and variables carry no code. */
function isInputComplaint(error: unknown): boolean {
  return (
    error instanceof GraphQLError &&
    /^(Variable|Argument|Expected|Field) /.test(error.message) &&
    error.nodes !== undefined
  );
}

const LONGEST_MESSAGE = 1_000;
/** Of a message that is looked through: what comes after is cut. */
const LONGEST_LOOKED_AT = 100_000;
const LONGEST_LITERAL = 60;

/** graphql-js quotes the value it did not like, which may be a document's text. */
function withoutLongLiterals(message: string): string {
  return message
    .slice(0, LONGEST_LOOKED_AT)
    .replace(/"((?:[^"\\]|\\.)*)("|$)/g, (quoted, inner: string) =>
      inner.length > LONGEST_LITERAL ? '"… (long text)"' : quoted,
    )
    .slice(0, LONGEST_MESSAGE);
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERROR_CODES, code);
}
