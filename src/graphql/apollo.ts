import { ApolloServer, type ApolloServerPlugin } from '@apollo/server';
import {
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import { type DocumentNode, type GraphQLSchema, Kind } from 'graphql';
import type { Logger } from 'pino';
import { AppError } from '../errors.js';
import type { RequestContext } from './context.js';
import { currentTrace } from './current-request.js';
import { type makeFormatError, requestStatus, toGraphQLError } from './errors.js';
import { LIMITS } from './limits.js';
import { checkOperation } from './operation/check-operation.js';

/** Parsed and validated operations that Apollo keeps: as many as come back, none that hold a document's text. */
const MAX_DOCUMENTS = 500;
const MAX_DOCUMENT_CHARACTERS = 16_384;

export function makeApolloServer(options: {
  schema: GraphQLSchema;
  logger: Logger;
  formatError: ReturnType<typeof makeFormatError>;
  /** HTML for a browser that opens the GraphQL URL. */
  landingPage: () => Promise<string>;
}): ApolloServer<RequestContext> {
  const { schema, logger, formatError, landingPage } = options;
  return new ApolloServer<RequestContext>({
    schema,
    formatError,
    logger: apolloLogger(logger),
    // Nothing here is left to NODE_ENV or other variables of the environment.
    nodeEnv: 'production',
    introspection: true,
    csrfPrevention: true,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    allowBatchedHttpRequests: false,
    parseOptions: { maxTokens: LIMITS.operationTokens.maximum },
    documentStore: new BoundedDocuments(),
    plugins: [
      ApolloServerPluginUsageReportingDisabled(),
      ApolloServerPluginSchemaReportingDisabled(),
      { serverWillStart: async () => ({ renderLandingPage: async () => ({ html: landingPage }) }) },
      operationChecks,
    ],
  });
}

/** Limits and traces around each operation, in Apollo's hooks. */
const operationChecks: ApolloServerPlugin<RequestContext> = {
  requestDidStart: async () => ({
    didResolveOperation: async ({ schema, document, request, operation, operationName }) => {
      const trace = currentTrace();
      if (trace) {
        trace.operationName = operationName;
        trace.operationType = operation?.operation ?? null;
      }
      try {
        if (operation?.operation === 'subscription')
          throw new AppError(
            'BAD_USER_INPUT',
            'A subscription needs a stream: use graphql-ws on this URL, or Accept: text/event-stream',
          );
        checkOperation(schema, document, request.operationName, request.variables ?? {});
      } catch (error) {
        throw error instanceof AppError ? toGraphQLError(error) : error;
      }
    },
    willSendResponse: async ({ response }) => {
      if (response.body.kind !== 'single') return;
      const { data, errors } = response.body.singleResult;
      // With some data beside the errors the response is a success in part, and its status says so.
      if (!errors || (data && Object.values(data).some((value) => value !== null))) return;
      const statuses = errors.map((error) => requestStatus(String(error.extensions?.code)));
      const outage = statuses.find((status) => status === 503 || status === 429 || status === 401);
      if (outage !== undefined) response.http.status = outage;
    },
  }),
};

/** A least-recently-used map behind Apollo's cache interface. */
class BoundedDocuments {
  readonly #documents = new Map<string, DocumentNode>();

  async get(key: string): Promise<DocumentNode | undefined> {
    const document = this.#documents.get(key);
    if (document) {
      this.#documents.delete(key);
      this.#documents.set(key, document);
    }
    return document;
  }

  async set(key: string, document: DocumentNode): Promise<void> {
    if (document.kind !== Kind.DOCUMENT || (document.loc?.source.body.length ?? 0) > MAX_DOCUMENT_CHARACTERS) return;
    this.#documents.set(key, document);
    if (this.#documents.size > MAX_DOCUMENTS) this.#documents.delete(this.#documents.keys().next().value as string);
  }

  async delete(key: string): Promise<boolean> {
    return this.#documents.delete(key);
  }
}

function apolloLogger(logger: Logger) {
  return {
    debug: (message: unknown) => logger.debug(String(message)),
    info: (message: unknown) => logger.info(String(message)),
    warn: (message: unknown) => logger.warn(String(message)),
    error: (message: unknown) => logger.error(String(message)),
  };
}
