import type { Logger } from 'pino';
import type { Config } from '../config.js';
import { makeApolloServer } from './apollo.js';
import { makeAuthenticator } from './auth/authenticate.js';
import type { Parts } from './context.js';
import { makeFormatError } from './errors.js';
import { logUnknown } from './http/error-answers.js';
import { addExplorerRoutes } from './http/explorer-routes.js';
import { addGraphqlRoute } from './http/graphql-route.js';
import { makeHostAndOriginCheck } from './http/host-and-origin.js';
import { startMetricsServer } from './http/metrics-server.js';
import { addProbeRoutes } from './http/probe-routes.js';
import { logOperation } from './http/request-log.js';
import { makeHttpServer } from './http/server.js';
import { addTransferRoutes } from './http/transfer-routes.js';
import { serveWebSockets } from './http/web-socket.js';
import { makeLandingPage } from './landing-page.js';
import { makeMetrics } from './metrics.js';
import { makeRunOperation } from './operation/run.js';
import type { Readiness } from './readiness.js';
import { makeSchema } from './schema.js';

export interface Api {
  /** Where GraphQL is served, e.g. http://127.0.0.1:4000/graphql */
  readonly url: string;
  /** Refuses what is new, lets what runs finish within the configured time, then closes. */
  stop(): Promise<void>;
}

/** The API skin around the parts below it, listening. Throws what `listen` throws, e.g. EADDRINUSE. */
export async function startApi(options: {
  config: Config;
  logger: Logger;
  parts: Omit<Parts, 'keyCreated'>;
  readiness: () => Promise<Readiness>;
}): Promise<Api> {
  const { config, logger, readiness } = options;
  const metrics = makeMetrics();
  const authenticator = makeAuthenticator(config.auth, options.parts.store);
  const parts: Parts = { ...options.parts, keyCreated: authenticator.keyCreated };
  const schema = makeSchema();
  const formatError = makeFormatError(logUnknown(logger));
  const landingPage = await makeLandingPage(authenticator.isDevelopment);
  const apollo = makeApolloServer({ schema, logger, formatError, landingPage });
  await apollo.start();

  const http = makeHttpServer({ config: config.http, logger, metrics, authenticator });
  const run = makeRunOperation(schema, formatError);
  addGraphqlRoute(http, apollo, parts, run);
  addProbeRoutes(http, metrics, readiness);
  addTransferRoutes(http, parts, run);
  addExplorerRoutes(http);
  const sockets = serveWebSockets({
    server: http.fastify.server,
    schema,
    parts,
    authenticator,
    check: makeHostAndOriginCheck(config.http),
    formatError,
    logOperation: (trace) => logOperation(trace, logger, metrics),
  });

  await http.fastify.listen({ host: config.http.host, port: config.http.port });
  const metricsServer =
    config.http.metricsPort === null ? null : await startMetricsServer(config.http.metricsPort, metrics);
  return {
    url: urlOf(config.http.host, http.fastify.server.address()),
    stop: async () => {
      sockets.close();
      await http.drain();
      await metricsServer?.stop();
      await apollo.stop();
    },
  };
}

/** A URL that works on this machine, also where the server listens on every address. */
function urlOf(host: string, address: unknown): string {
  const { port } = address as { port: number };
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}/graphql`;
}
