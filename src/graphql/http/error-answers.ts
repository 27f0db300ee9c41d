import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { AppError } from '../../errors.js';
import { withTrace } from '../current-request.js';
import { deliberateBody, maskedBody, requestStatus } from '../errors.js';
import { limitExceeded } from '../limits.js';

/** Failures on any route have the shape of GraphQL errors: `{ "errors": [{ "message", "extensions": { "code" } }] }`. */
export function answerErrors(fastify: FastifyInstance, logger: Logger): void {
  fastify.setErrorHandler<FastifyError>((thrown, request, reply) => {
    const { error, status } = hasLeft(request, thrown) ? LEFT : translated(thrown, request.headers['content-length']);
    const body = withTrace(request.trace, () => deliberateBody(error) ?? maskedBody(error, logUnknown(logger)));
    request.trace.errorCodes.add(body.extensions.code);
    if (body.extensions.code === 'UNAUTHENTICATED') reply.header('www-authenticate', 'Bearer');
    return reply.code(status ?? requestStatus(body.extensions.code)).send({ errors: [body] });
  });
  fastify.setNotFoundHandler(async (request, reply) => {
    request.trace.errorCodes.add('BAD_USER_INPUT');
    return reply.code(404).send(badRequest(`There is no ${request.method} on this path: GraphQL is at /graphql`));
  });
}

export function logUnknown(logger: Logger) {
  return (error: unknown, requestId: string | undefined): void => {
    logger.error({ err: error instanceof Error ? error : new Error(String(error)), requestId }, 'Unexpected error');
  };
}

/** Nobody reads it; it keeps a broken connection out of the log of bugs. */
const LEFT = { error: new AppError('BAD_USER_INPUT', 'The client left before its request was whole'), status: 400 };

/** What reading a body throws when its connection breaks. */
function hasLeft({ raw }: FastifyRequest, thrown: unknown): boolean {
  return !raw.complete && raw.destroyed && thrown instanceof Error && 'code' in thrown && thrown.code === 'ECONNRESET';
}

/** Fastify's own refusals, with our codes. */
function translated(error: FastifyError, contentLength?: string): { error: unknown; status?: number } {
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return { error: limitExceeded('requestBodyBytes', contentLength ?? 'more', 'use POST /upload'), status: 413 };
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return { error: new AppError('BAD_USER_INPUT', 'Expected content-type application/json'), status: 415 };
  if (!(error instanceof AppError) && error.statusCode !== undefined && error.statusCode < 500)
    return { error: new AppError('BAD_USER_INPUT', error.message), status: error.statusCode };
  return { error };
}

/** For a path that cannot be decoded, which reaches no route. */
export const BAD_URL = badRequest('The path is not a valid URL');

/** For bytes that are no HTTP request, or headers that are too large: there is no request to reply to. */
export function answerBadConnection(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return void socket.destroy();
  const [status, message] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? ['431 Request Header Fields Too Large', 'The headers are too large']
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? ['408 Request Timeout', 'The request did not arrive in time']
        : ['400 Bad Request', 'This is not an HTTP request'];
  const body = JSON.stringify(badRequest(message));
  const headers = `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close`;
  socket.end(`HTTP/1.1 ${status}\r\n${headers}\r\n\r\n${body}`);
}

/** A body in the shape of all failures, for what is answered without being thrown. */
export function badRequest(message: string) {
  return { errors: [{ message, extensions: { code: 'BAD_USER_INPUT' } }] };
}
