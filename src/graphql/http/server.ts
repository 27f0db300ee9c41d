import { randomUUID } from 'node:crypto';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Logger } from 'pino';
import type { Config } from '../../config.js';
import { AppError } from '../../errors.js';
import type { Authenticator } from '../auth/authenticate.js';
import type { Credentials } from '../auth/credentials.js';
import { newTrace, type RequestTrace } from '../current-request.js';
import { LIMITS } from '../limits.js';
import type { Metrics } from '../metrics.js';
import { answerBadConnection, answerErrors, BAD_URL } from './error-answers.js';
import { parseExactJson } from './exact-json.js';
import { corsHeaders, makeHostAndOriginCheck, PREFLIGHT_HEADERS } from './host-and-origin.js';
import { logRequests } from './request-log.js';
import { limitPatience } from './request-patience.js';

declare module 'fastify' {
  interface FastifyRequest {
    trace: RequestTrace;
    /** Set by routes that ask for credentials, before their body is read. */
    credentials: Credentials | null;
    /** See `RequestContext`. */
    checkCredentials: () => Promise<unknown>;
    /** Aborted when the client goes away, or when a stop has waited long enough. */
    abort: AbortController;
  }
  interface FastifyContextConfig {
    /** The body may take as long as it likes, while it keeps coming. */
    unhurried?: boolean;
    /** Any Host and Origin may ask: probes. */
    open?: boolean;
  }
}

/** By default it follows `requestTimeout`, and is none where that is none. */
const HEADERS_TIMEOUT_MS = 60_000;
const KEEP_ALIVE_TIMEOUT_MS = 72_000;
const MAX_HEADER_BYTES = 16_384;

export interface HttpServer {
  readonly fastify: FastifyInstance;
  /** A hook for routes that need credentials. */
  readonly authenticate: (request: FastifyRequest) => Promise<void>;
  /** Refuses new requests, lets running ones finish for `drainMs`, aborts what is left. */
  drain(): Promise<void>;
}

/** What all routes share: ids, traces, Host and Origin checks, limits, error answers, one log line per request. */
export function makeHttpServer(options: {
  config: Config['http'];
  logger: Logger;
  metrics: Metrics;
  authenticator: Authenticator;
}): HttpServer {
  const { config, logger, metrics, authenticator } = options;
  const fastify = Fastify({
    loggerInstance: logger as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: LIMITS.requestBodyBytes.maximum,
    // Node's own would cut an import that takes its time: see request-patience.ts.
    requestTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    genReqId: ({ headers }) => requestId(headers['x-request-id']),
    http: { maxHeaderSize: MAX_HEADER_BYTES, headersTimeout: HEADERS_TIMEOUT_MS },
    frameworkErrors: (_, __, reply) => (reply as FastifyReply).code(400).send(BAD_URL),
    clientErrorHandler: (error, socket) => answerBadConnection(error, socket),
  });
  const running = new Set<AbortController>();
  let draining = false;

  fastify.decorateRequest('trace', null as never);
  fastify.decorateRequest('credentials', null);
  fastify.decorateRequest('checkCredentials', null as never);
  fastify.decorateRequest('abort', null as never);
  fastify.addHook('onRequest', (request, _, done) => {
    request.trace = newTrace(request.id);
    done();
  });
  logRequests(fastify, logger, metrics);
  fastify.addHook('onRequest', (request, reply, done) => {
    request.abort = new AbortController();
    reply.header('x-request-id', request.id);
    reply.header('x-content-type-options', 'nosniff');
    running.add(request.abort);
    limitPatience(request.raw, request.routeOptions.config.unhurried ?? false);
    metrics.requestsInFlight.inc();
    reply.raw.once('close', () => {
      running.delete(request.abort);
      metrics.requestsInFlight.dec();
      if (!reply.raw.writableFinished) request.abort.abort();
    });
    if (draining) {
      reply.header('connection', 'close');
      done(new AppError('STORE_UNAVAILABLE', 'The server is stopping', { details: { retryable: true } }));
    } else if (running.size > LIMITS.requestsInFlight.maximum) {
      reply.header('retry-after', '1');
      done(tooManyRequests(running.size));
    } else done();
  });

  const check = makeHostAndOriginCheck(config);
  fastify.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.config.open) return;
    check(request.headers, await authenticator.isDevelopment());
    const { origin, host } = request.headers;
    if (origin === undefined) return;
    reply.headers(corsHeaders(origin, host!));
    if (request.method === 'OPTIONS') return reply.headers(PREFLIGHT_HEADERS).code(204).send();
  });

  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser(
    'application/json',
    { parseAs: 'string' },
    async (request: FastifyRequest, body: string) => {
      if (!['identity', ''].includes(request.headers['content-encoding'] ?? ''))
        throw new AppError('BAD_USER_INPUT', 'Compressed request bodies are not read: send it as it is');
      return body === '' ? undefined : parseExactJson(body);
    },
  );
  answerErrors(fastify, logger);

  return {
    fastify,
    authenticate: async (request) => {
      const { authorization } = request.headers;
      request.checkCredentials = () => authenticator.authenticate(authorization);
      request.credentials = await authenticator.authenticate(authorization);
    },
    drain: async () => {
      draining = true;
      const abort = setTimeout(() => {
        for (const controller of running) controller.abort();
      }, config.drainMs);
      const cut = setTimeout(() => fastify.server.closeAllConnections(), config.drainMs + GRACE_MS);
      try {
        await fastify.close();
      } finally {
        clearTimeout(abort);
        clearTimeout(cut);
      }
    },
  };
}

/** What aborted requests get to say so. */
const GRACE_MS = 1_000;

/** The client's own id where it is harmless in a log. */
function requestId(given: string | string[] | undefined): string {
  return typeof given === 'string' && /^[\w-]{8,64}$/.test(given) ? given : randomUUID();
}

function tooManyRequests(got: number): AppError {
  const { maximum } = LIMITS.requestsInFlight;
  return new AppError('RATE_LIMITED', `At most ${maximum} requests at once, got ${got}: try again`, {
    details: { limit: 'requestsInFlight', maximum, retryAfterSeconds: 1 },
  });
}
