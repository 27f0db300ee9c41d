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
        ...traceFields(request.trace),
      },
      'Request answered',
    );
  });
}

/** The same for an operation over a WebSocket, which is no request of its own. */
export function logOperation(trace: RequestTrace, logger: Logger, metrics: Metrics): void {
  countOperation(trace, metrics);
  logger.info({ route: 'websocket', ...traceFields(trace) }, 'Operation ended');
}

function countOperation({ operationType, errorCodes }: RequestTrace, metrics: Metrics): void {
  const [firstCode] = errorCodes;
  if (operationType) metrics.operations.inc({ type: operationType, outcome: firstCode ?? 'ok' });
}

function traceFields(trace: RequestTrace) {
  const { requestId, operationName, operationType, storeCalls, providerCalls, errorCodes } = trace;
  return {
    requestId,
    ...(operationType && { type: operationType, operation: operationName?.slice(0, MAX_NAME_CHARACTERS) ?? null }),
    storeCalls,
    providerCalls,
    ...(errorCodes.size > 0 && { errors: [...errorCodes] }),
  };
}
