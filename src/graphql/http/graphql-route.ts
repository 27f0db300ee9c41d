import type { ApolloServer } from '@apollo/server';
import { fastifyApolloHandler } from '@as-integrations/fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../errors.js';
import { makeContext, type Parts, type RequestContext } from '../context.js';
import { withTrace } from '../current-request.js';
import { checkBeforeParsing } from '../operation/prepare.js';
import { acceptsEventStream, type RunOperation, sendEventStream } from './event-stream.js';
import { holdsBigInt, parseExactJson } from './exact-json.js';
import type { HttpServer } from './server.js';

export const GRAPHQL_PATH = '/graphql';

/** GraphQL over HTTP: Apollo answers, except for server-sent events. */
export function addGraphqlRoute(
  { fastify, authenticate }: HttpServer,
  apollo: ApolloServer<RequestContext>,
  parts: Parts,
  run: RunOperation,
): void {
  const answer = fastifyApolloHandler(apollo, { context: async (request) => contextOf(parts, request) });
  fastify.route({
    method: ['GET', 'POST', 'OPTIONS'],
    url: GRAPHQL_PATH,
    onRequest: authenticate,
    preHandler: async (request) => checkRequest(request),
    handler: (request: FastifyRequest, reply: FastifyReply) =>
      withTrace(request.trace, async () => {
        if (acceptsEventStream(request)) return sendEventStream(request, reply, contextOf(parts, request), run);
        return answer.call(fastify as never, request as never, reply as never);
      }),
  });
}

export function contextOf(parts: Parts, { id, credentials, abort, checkCredentials }: FastifyRequest): RequestContext {
  if (credentials === null) throw new TypeError('A context needs a request with credentials');
  return makeContext(parts, { requestId: id, credentials, signal: abort.signal, checkCredentials });
}

/** What Apollo does too late or not at all. Malformed requests are left to it. */
function checkRequest(request: FastifyRequest): void {
  const { query, variables } = (request.method === 'GET' ? request.query : (request.body ?? {})) as {
    query?: unknown;
    variables?: unknown;
  };
  if (typeof query === 'string') checkBeforeParsing(query);
  // Apollo parses the variables of a GET itself, rounding integers that are not exact
  if (request.method === 'GET' && typeof variables === 'string' && holdsBigInt(parseExactJson(variables)))
    throw new AppError('BAD_USER_INPUT', 'Variables hold an integer beyond ±(2^53 − 1): use POST, or a string');
}
