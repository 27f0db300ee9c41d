import { createServer } from 'node:http';
import type { Metrics } from '../metrics.js';

/** /metrics on a loopback port of its own, without credentials: for a scraper on this machine. */
export async function startMetricsServer(port: number, { registry }: Metrics): Promise<{ stop(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': registry.contentType }).end(await registry.metrics());
  });
  await new Promise<void>((listening, fail) => {
    server.once('error', (error) => fail(Object.assign(error, { setting: 'GAZETTEER_METRICS_PORT' })));
    server.listen(port, '127.0.0.1', listening);
  });
  return {
    stop: () =>
      new Promise((stopped) => {
        server.close(() => stopped());
        server.closeAllConnections();
      }),
  };
}
