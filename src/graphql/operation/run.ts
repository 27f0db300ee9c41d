import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  getOperationAST,
  parse,
  subscribe,
  validate,
} from 'graphql';
import { AppError } from '../../errors.js';
import type { RequestContext } from '../context.js';
import { currentTrace } from '../current-request.js';
import { toGraphQLError } from '../errors.js';
import { LIMITS } from '../limits.js';
import { checkOperation } from './check-operation.js';
import { checkBeforeParsing } from './prepare.js';

export interface OperationRequest {
  readonly query: string;
  readonly operationName?: string | null | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined;
  /** It came by GET, which must not change anything. */
  readonly readOnly?: boolean;
}

export interface FormattedResult {
  readonly data?: unknown;
  readonly errors?: readonly GraphQLFormattedError[];
}

export type FormatError = (formatted: GraphQLFormattedError, thrown: unknown) => GraphQLFormattedError;

/**
 * Runs an operation outside of Apollo, which speaks neither WebSocket nor server-sent events: the same checks, the same
 * errors. A subscription yields as long as it lasts, anything else once.
 */
export function makeRunOperation(schema: GraphQLSchema, formatError: FormatError) {
  const format = (result: ExecutionResult) => formattedResult(result, formatError);
  return async function* run(request: OperationRequest, context: RequestContext): AsyncGenerator<FormattedResult> {
    try {
      const document = checkedDocument(schema, request);
      const operation = getOperationAST(document, request.operationName);
      if (request.readOnly && operation?.operation === 'mutation')
        throw new AppError('BAD_USER_INPUT', 'GET requests do not run mutations: use POST');
      const trace = currentTrace();
      if (trace)
        Object.assign(trace, { operationName: operation?.name?.value ?? null, operationType: operation?.operation });
      const args = {
        schema,
        document,
        contextValue: context,
        variableValues: request.variables,
        operationName: request.operationName,
      };
      const result = await (operation?.operation === 'subscription' ? subscribe(args) : execute(args));
      if (!(Symbol.asyncIterator in result)) yield format(result);
      else yield* eventsUntil(context.signal, result, format);
    } catch (error) {
      yield format({ errors: refusalErrors(error) });
    }
  };
}

/**
 * The events of a subscription until it ends or the client leaves. The source is told at once: a generator that waits
 * for its next event hears of its own `return` only when that event has come.
 */
async function* eventsUntil(
  signal: AbortSignal,
  source: AsyncGenerator<ExecutionResult>,
  format: (result: ExecutionResult) => FormattedResult,
): AsyncGenerator<FormattedResult> {
  const end = () => void source.return(undefined);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  try {
    for await (const event of source) yield format(event);
  } finally {
    signal.removeEventListener('abort', end);
  }
}

export function formattedResult({ data, errors }: ExecutionResult, formatError: FormatError): FormattedResult {
  return {
    ...(errors && { errors: errors.map((error) => formatError(error.toJSON(), error)) }),
    ...(data !== undefined && { data }),
  };
}

/** The operation's errors, or the one thing that was thrown. */
export function refusalErrors(error: unknown): readonly GraphQLError[] {
  return error instanceof OperationRefused ? error.errors : [asGraphQLError(error)];
}

class OperationRefused extends Error {
  readonly errors: readonly GraphQLError[];

  constructor(errors: readonly GraphQLError[]) {
    super('The operation was refused');
    this.name = 'OperationRefused';
    this.errors = errors;
  }
}

/** Parses, validates and checks an operation. What it throws goes through `refusalErrors`. */
export function checkedDocument(
  schema: GraphQLSchema,
  { query, operationName, variables }: OperationRequest,
): DocumentNode {
  checkBeforeParsing(query);
  let document: DocumentNode;
  try {
    document = parse(query, { maxTokens: LIMITS.operationTokens.maximum });
  } catch (error) {
    throw error instanceof GraphQLError ? coded(error, 'GRAPHQL_PARSE_FAILED') : error;
  }
  const invalid = validate(schema, document);
  if (invalid.length > 0) throw new OperationRefused(invalid.map((error) => coded(error, 'GRAPHQL_VALIDATION_FAILED')));
  if (!getOperationAST(document, operationName)) throw new OperationRefused([unresolved(operationName)]);
  checkOperation(schema, document, operationName, variables ?? {});
  return document;
}

/** graphql-js gives no codes; Apollo's names are used on every transport. */
function coded(error: GraphQLError, code: string): GraphQLError {
  const { nodes, source, positions, path } = error;
  return new GraphQLError(error.message, { nodes, source, positions, path, extensions: { code } });
}

function unresolved(operationName: string | null | undefined): GraphQLError {
  const message =
    operationName == null
      ? 'The document holds several operations or none: name one with `operationName`'
      : 'The document holds no operation of the name given as `operationName`';
  return new GraphQLError(message, { extensions: { code: 'OPERATION_RESOLUTION_FAILURE' } });
}

function asGraphQLError(error: unknown): GraphQLError {
  if (error instanceof GraphQLError) return error;
  if (error instanceof AppError) return toGraphQLError(error);
  return new GraphQLError('Internal server error', { originalError: error as Error });
}
