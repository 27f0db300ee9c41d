import { AppError } from '../../errors.js';
import { withTrace } from '../current-request.js';
import type { Metrics } from '../metrics.js';
import type { Readiness } from '../readiness.js';
import type { HttpServer } from './server.js';

/** /healthz, /readyz and /metrics. */
export function addProbeRoutes(
  { fastify, authenticate }: HttpServer,
  metrics: Metrics,
  readiness: () => Promise<Readiness>,
): void {
  fastify.get('/healthz', { config: { open: true } }, async () => ({ status: 'ok' }));
  fastify.get('/readyz', { config: { open: true } }, async (request, reply) => {
    const answer = await withTrace(request.trace, readiness);
    return reply.code(answer.status === 'unavailable' ? 503 : 200).send(answer);
  });
  fastify.get('/metrics', { onRequest: authenticate }, async (request, reply) => {
    if (request.credentials?.role !== 'ADMIN')
      throw new AppError('FORBIDDEN', "/metrics needs an administrator's credentials, or GAZETTEER_METRICS_PORT");
    return reply.type(metrics.registry.contentType).send(await metrics.registry.metrics());
  });
}
