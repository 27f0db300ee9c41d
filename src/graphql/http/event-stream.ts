import { once } from 'node:events';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../errors.js';
import type { RequestContext } from '../context.js';
import type { FormattedResult, OperationRequest } from '../operation/run.js';
import { parseExactJson } from './exact-json.js';

export type RunOperation = (request: OperationRequest, context: RequestContext) => AsyncGenerator<FormattedResult>;

/** Proxies close streams that are quiet for a minute, some for half of one. */
const SIGN_OF_LIFE_MS = 12_000;

export function acceptsEventStream({ headers }: FastifyRequest): boolean {
  return headers.accept?.split(',').some((type) => type.trim().toLowerCase().startsWith('text/event-stream')) ?? false;
}

/**
 * GraphQL over server-sent events, "distinct connections mode" of the GraphQL-over-SSE protocol: `next` events and a
 * final `complete`. https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md
 */
export async function sendEventStream(
  request: FastifyRequest,
  reply: FastifyReply,
  context: RequestContext,
  run: RunOperation,
): Promise<void> {
  const operation = operationOf(request);
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    'x-accel-buffering': 'no',
    connection: 'keep-alive',
  });
  const write = async (chunk: string) => {
    if (!raw.write(chunk) && !raw.destroyed) await Promise.race([once(raw, 'drain'), once(raw, 'close')]);
  };
  raw.write(':\n\n');
  const signOfLife = setInterval(() => raw.write(':\n\n'), SIGN_OF_LIFE_MS);
  try {
    for await (const result of run(operation, context)) {
      if (context.signal.aborted) break;
      await write(`event: next\ndata: ${JSON.stringify(result)}\n\n`);
    }
    if (!context.signal.aborted) await write('event: complete\ndata:\n\n');
  } finally {
    clearInterval(signOfLife);
    raw.end();
  }
}

function operationOf(request: FastifyRequest): OperationRequest {
  const source = (request.method === 'GET' ? request.query : request.body) as Record<string, unknown> | undefined;
  const { query, operationName, variables } = source ?? {};
  if (typeof query !== 'string' || query === '') throw new AppError('BAD_USER_INPUT', 'Expected a non-empty `query`');
  const values = typeof variables === 'string' ? parseExactJson(variables) : variables;
  if (values != null && (typeof values !== 'object' || Array.isArray(values)))
    throw new AppError('BAD_USER_INPUT', 'Expected `variables` to be a JSON object');
  return {
    query,
    operationName: typeof operationName === 'string' ? operationName : null,
    variables: values as Record<string, unknown> | null | undefined,
    readOnly: request.method === 'GET',
  };
}
