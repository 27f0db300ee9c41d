import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { RequestTrace } from '../current-request.js';
import type { Metrics } from '../metrics.js';

/** Longer operation names are no names. */
const MAX_NAME_CHARACTERS = 100;
/** Probes come every few seconds and say nothing. */
const QUIET_ROUTES: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

/** What access logs of web servers say of a request whose client left before its answer. */
const CLIENT_LEFT = 499;

/** One line and one observation per request, also for those whose client left. Never document text, variables or keys. */
export function logRequests(fastify: FastifyInstance, logger: Logger, metrics: Metrics): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.raw.once('close', () => {
      const status = reply.raw.writableFinished ? reply.raw.statusCode : CLIENT_LEFT;
      const route = request.routeOptions.url ?? 'none';
      metrics.requestSeconds.observe({ route, status }, reply.elapsedTime / 1000);
      countOperation(request.trace, metrics);
      logger[QUIET_ROUTES.has(route) ? 'debug' : 'info'](
        {
          method: request.method,
          route,
          status,
          durationMs: Math.round(reply.elapsedTime * 10) / 10,
          ...traceFields(request.trace, logger),
        },
        status === CLIENT_LEFT ? 'The client left before its answer' : 'Request answered',
      );
    });
    done();
  });
}

/** The same for an operation over a WebSocket, which is no request of its own. */
export function logOperation(trace: RequestTrace, logger: Logger, metrics: Metrics): void {
  countOperation(trace, metrics);
  logger.info({ route: 'websocket', ...traceFields(trace, logger) }, 'Operation ended');
}

function countOperation(trace: RequestTrace, metrics: Metrics): void {
  const [firstCode] = trace.errorCodes;
  if (trace.operationType) metrics.operations.inc({ type: trace.operationType, outcome: firstCode ?? 'ok' });
  for (const [call, count] of trace.storeCalls) metrics.storeCalls.inc({ call }, count);
  metrics.providerCalls.inc(trace.providerCalls);
}

function traceFields(trace: RequestTrace, logger: Logger) {
  const { requestId, operationName, operationType, storeCalls, providerCalls, errorCodes } = trace;
  return {
    requestId,
    ...(operationType && { type: operationType, operation: operationName?.slice(0, MAX_NAME_CHARACTERS) ?? null }),
    storeCalls: [...storeCalls.values()].reduce((sum, count) => sum + count, 0),
    ...(logger.isLevelEnabled('debug') && { calls: Object.fromEntries(storeCalls) }),
    providerCalls,
    ...(errorCodes.size > 0 && { errors: [...errorCodes] }),
  };
}
