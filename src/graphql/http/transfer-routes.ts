import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../../errors.js';
import type { Parts } from '../context.js';
import { withTrace } from '../current-request.js';
import { badRequest } from './error-answers.js';
import type { RunOperation } from './event-stream.js';
import { makeExportRoute } from './export-route.js';
import { makeImportRoute } from './import-route.js';
import { discardRest } from './request-body.js';
import type { HttpServer } from './server.js';
import { makeUploadRoute } from './upload/upload-route.js';

/** Where one is not taken, the answer is which one is. OPTIONS is for browsers' preflights, and answered before. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** What moves documents in and out beside GraphQL, as streams. */
export function addTransferRoutes({ fastify, authenticate }: HttpServer, parts: Parts, run: RunOperation): void {
  const routes = [
    ['POST', '/upload', makeUploadRoute(parts, run)],
    ['POST', '/import', makeImportRoute(parts)],
    ['GET', '/export', makeExportRoute(parts)],
  ] as const;
  // A context of its own, where bodies are not read before the handler asks for them.
  fastify.register(async (inner: FastifyInstance) => {
    inner.removeAllContentTypeParsers();
    inner.addContentTypeParser('*', (_request: FastifyRequest, _body: unknown, done: (error: null) => void) =>
      done(null),
    );
    for (const [method, url, answer] of routes) {
      inner.route({
        method,
        url,
        config: { unhurried: true },
        // It would read a whole export to send none of it.
        exposeHeadRoute: false,
        onRequest: method === 'POST' ? [requireClientHeader, authenticate] : authenticate,
        handler: (request, reply) => withTrace(request.trace, () => answer(request, reply)),
      });
      inner.route({
        method: METHODS.filter((other) => other !== method),
        url,
        exposeHeadRoute: false,
        handler: async (request, reply) => {
          discardRest(request.raw);
          request.trace.errorCodes.add('BAD_USER_INPUT');
          const body = badRequest(`${url} takes ${method}, got ${request.method}`);
          return reply.code(405).header('allow', method).send(body);
        },
      });
    }
  });
}

/** A form or an image of another site can send neither. */
async function requireClientHeader({ headers, routeOptions: { url } }: FastifyRequest): Promise<void> {
  if (headers.authorization === undefined && !headers['x-gazetteer-client'])
    throw new AppError('FORBIDDEN', `Without an Authorization header, ${url} needs X-Gazetteer-Client`);
}
