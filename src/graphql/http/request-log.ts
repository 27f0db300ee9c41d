import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { RequestTrace } from '../current-request.js';
import type { Metrics } from '../metrics.js';

/** Longer operation names are no names. */
const MAX_NAME_CHARACTERS = 100;
/** Probes come every few seconds and say nothing. */
const QUIET_ROUTES: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

/** One line and one observation per request. Never document text, variables or keys. */
export function logRequests(fastify: FastifyInstance, logger: Logger, metrics: Metrics): void {
  fastify.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none';
    metrics.requestSeconds.observe({ route, status: reply.statusCode }, reply.elapsedTime / 1000);
    countOperation(request.trace, metrics);
    logger[QUIET_ROUTES.has(route) ? 'debug' : 'info'](
      {
        method: request.method,
        route,
        status: reply.statusCode,
        durationMs: Math.round(reply.elapsedTime * 10) / 10,
        ...traceFields(request.trace, logger),
      },
      'Request answered',
    );
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
