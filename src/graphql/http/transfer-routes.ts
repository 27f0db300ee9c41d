import { AppError } from '../../errors.js';
import type { HttpServer } from './server.js';

/** What moves documents in and out beside GraphQL. Not built yet: each answers so, behind the checks it will have. */
export function addTransferRoutes({ fastify, authenticate }: HttpServer): void {
  for (const [method, url] of [
    ['POST', '/upload'],
    ['POST', '/import'],
    ['GET', '/export'],
  ] as const)
    fastify.route({
      method,
      url,
      onRequest: [
        async ({ headers }) => {
          // a form or an image of another site can send neither
          if (method === 'POST' && headers.authorization === undefined && !headers['x-gazetteer-client'])
            throw new AppError('FORBIDDEN', `Without an Authorization header, ${url} needs X-Gazetteer-Client`);
        },
        authenticate,
        async (_, reply) => {
          const body = { message: `${url} is not built yet`, extensions: { code: 'NOT_IMPLEMENTED' } };
          return reply.code(501).send({ errors: [body] });
        },
      ],
      handler: async () => undefined,
    });
}
