import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  type ExecutionArgs,
  execute,
  type GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  subscribe,
} from 'graphql';
import { CloseCode, type Context, handleProtocols, makeServer } from 'graphql-ws';
import { type WebSocket, WebSocketServer } from 'ws';
import { AppError } from '../../errors.js';
import type { Authenticator } from '../auth/authenticate.js';
import { makeContext, type Parts } from '../context.js';
import { newTrace, type RequestTrace, withTrace } from '../current-request.js';
import { deliberateBody, type ErrorBody } from '../errors.js';
import { LIMITS, limitExceeded } from '../limits.js';
import {
  checkedDocument,
  type FormatError,
  formattedResult,
  type OperationRequest,
  refusalErrors,
} from '../operation/run.js';
import { holdsBigInt, parseExactJson } from './exact-json.js';
import { GRAPHQL_PATH } from './graphql-route.js';
import type { CheckHostAndOrigin } from './host-and-origin.js';

/** Proxies close connections that are quiet for a minute, some for half of one. */
const PING_MS = 12_000;
/** A client that connects must say who it is soon. */
const INIT_TIMEOUT_MS = 5_000;
/** What a close frame can hold. */
const MAX_REASON_BYTES = 123;

interface Extra extends Record<PropertyKey, unknown> {
  readonly request: IncomingMessage;
  readonly abort: AbortController;
}
type Socket = Context<Record<string, unknown>, Extra>;

export interface WebSockets {
  /** Tells every client that the server goes away, and accepts no more. */
  close(): void;
}

/** GraphQL over WebSocket (graphql-transport-ws) on the GraphQL URL; credentials in `connectionParams.authorization`. */
export function serveWebSockets(options: {
  server: Server;
  schema: GraphQLSchema;
  parts: Parts;
  authenticator: Authenticator;
  check: CheckHostAndOrigin;
  formatError: FormatError;
  logOperation: (trace: RequestTrace) => void;
}): WebSockets {
  const { server, schema, parts, authenticator, check, formatError, logOperation } = options;
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: LIMITS.socketMessageBytes.maximum,
    handleProtocols,
  });
  /** By the operation's message and by its context: what its hooks are given. */
  const traces = new WeakMap<object, RequestTrace>();
  const traceOf = (key: unknown) => traces.get(key as object) ?? newTrace(randomUUID());

  const credentialsOf = ({ connectionParams, extra }: Socket) => {
    const given = connectionParams?.authorization ?? connectionParams?.Authorization;
    return authenticator.authenticate(typeof given === 'string' ? given : extra.request.headers.authorization);
  };

  const protocol = makeServer<Record<string, unknown>, Extra>({
    connectionInitWaitTimeout: INIT_TIMEOUT_MS,
    execute: (args) => withTrace(traceOf(args.contextValue), () => execute(args)),
    subscribe: (args) => withTrace(traceOf(args.contextValue), () => subscribe(args)) as ReturnType<typeof execute>,
    onConnect: async (socket) => {
      await credentialsOf(socket);
    },
    // Credentials are checked again for each operation: a key may have been revoked since.
    onSubscribe: async (socket, id, payload): Promise<ExecutionArgs | readonly GraphQLError[]> => {
      const trace = newTrace(randomUUID());
      traces.set(payload, trace);
      try {
        if (Object.keys(socket.subscriptions).length > LIMITS.subscriptionsPerSocket.maximum)
          throw limitExceeded('subscriptionsPerSocket', `the one named ${id.slice(0, 36)}`);
        const document = checkedDocument(schema, payload as OperationRequest);
        const context = makeContext(parts, {
          requestId: trace.requestId,
          credentials: await credentialsOf(socket),
          signal: socket.extra.abort.signal,
          checkCredentials: () => credentialsOf(socket),
        });
        const operation = getOperationAST(document, payload.operationName);
        trace.operationName = operation?.name?.value ?? null;
        trace.operationType = operation?.operation ?? null;
        traces.set(context, trace);
        return {
          schema,
          document,
          contextValue: context,
          variableValues: payload.variables,
          operationName: payload.operationName,
        };
      } catch (error) {
        return refusalErrors(error);
      }
    },
    onNext: (_, __, payload, ___, result) =>
      withTrace(traceOf(payload), () => formattedResult(result, formatError)) as object,
    onError: (_, __, payload, errors) =>
      withTrace(traceOf(payload), () => formattedResult({ errors }, formatError)).errors,
    onComplete: (_, __, payload) => {
      const trace = traces.get(payload);
      if (trace) logOperation(trace);
    },
  });

  const open = (socket: WebSocket, request: IncomingMessage) => {
    const abort = new AbortController();
    const ping = pingUntilClosed(socket);
    const closed = protocol.opened(
      {
        protocol: socket.protocol,
        send: (data) => new Promise((done, fail) => socket.send(data, (error) => (error ? fail(error) : done()))),
        close: (code, reason) => socket.close(code, reason?.slice(0, MAX_REASON_BYTES)),
        onMessage: (receive) => {
          socket.on('message', async (data) => {
            try {
              const message = String(data);
              if (holdsBigInt(parseExactJson(message)))
                throw new AppError('BAD_USER_INPUT', 'Integers beyond ±(2^53 − 1) cannot be taken exactly');
              await receive(message);
            } catch (error) {
              const { message, code } = closing(error);
              socket.close(code, message.slice(0, MAX_REASON_BYTES));
            }
          });
        },
      },
      { request, abort },
    );
    socket.once('error', () => socket.terminate());
    socket.once('close', (code, reason) => {
      clearInterval(ping);
      abort.abort();
      void closed(code, String(reason));
    });
  };

  server.on('upgrade', async (request: IncomingMessage, raw: Duplex, head: Buffer) => {
    try {
      check(request.headers, await authenticator.isDevelopment());
      if (new URL(request.url ?? '/', 'http://localhost').pathname !== GRAPHQL_PATH)
        throw new AppError('BAD_USER_INPUT', `WebSockets are served at ${GRAPHQL_PATH} only`);
      if (sockets.clients.size >= LIMITS.sockets.maximum) throw limitExceeded('sockets', sockets.clients.size + 1);
      sockets.handleUpgrade(request, raw, head, open);
    } catch (error) {
      refuseUpgrade(raw, deliberateBody(error));
    }
  });

  return {
    close: () => {
      for (const client of sockets.clients) client.close(1001, 'The server is stopping');
      sockets.close();
    },
  };
}

/** Terminates a socket whose client does not answer from one ping to the next. */
function pingUntilClosed(socket: WebSocket): NodeJS.Timeout {
  let answered = true;
  socket.on('pong', () => {
    answered = true;
  });
  return setInterval(() => {
    if (!answered) return socket.terminate();
    answered = false;
    socket.ping();
  }, PING_MS);
}

/** graphql-ws throws for what breaks the protocol, and passes on what `onConnect` throws. */
function closing(error: unknown): { message: string; code: number } {
  const deliberate = deliberateBody(error);
  if (deliberate?.extensions.code === 'UNAUTHENTICATED')
    return { message: deliberate.message, code: CloseCode.Forbidden };
  return { message: deliberate?.message ?? 'Bad message', code: CloseCode.BadRequest };
}

function refuseUpgrade(raw: Duplex, body: ErrorBody | null): void {
  const json = JSON.stringify({
    errors: [body ?? { message: 'Internal server error', extensions: { code: 'INTERNAL_SERVER_ERROR' } }],
  });
  const status = body?.extensions.code === 'FORBIDDEN' ? '403 Forbidden' : '400 Bad Request';
  raw.end(
    `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-type: application/json\r\n` +
      `content-length: ${Buffer.byteLength(json)}\r\n\r\n${json}`,
  );
}
