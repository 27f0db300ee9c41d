import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** What an operator watches. One registry per server, so that two in a process do not mix. */
export interface Metrics {
  readonly registry: Registry;
  readonly requestSeconds: Histogram<'route' | 'status'>;
  readonly operations: Counter<'type' | 'outcome'>;
  readonly storeCalls: Counter<'call'>;
  readonly providerCalls: Counter;
  readonly requestsInFlight: Gauge;
}

/** From a cache hit to a long upsert. */
const SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

export function makeMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  return {
    registry,
    requestSeconds: new Histogram({
      name: 'gazetteer_http_request_seconds',
      help: 'Time from the first byte of a request to the last of its answer',
      labelNames: ['route', 'status'],
      buckets: SECONDS,
      registers,
    }),
    operations: new Counter({
      name: 'gazetteer_graphql_operations_total',
      help: 'GraphQL operations by type and by the code of their first error, or ok',
      labelNames: ['type', 'outcome'],
      registers,
    }),
    storeCalls: new Counter({
      name: 'gazetteer_store_calls_total',
      help: 'Calls of the store made by requests, by name',
      labelNames: ['call'],
      registers,
    }),
    providerCalls: new Counter({
      name: 'gazetteer_provider_calls_total',
      help: 'Calls of the embedding provider made by requests',
      registers,
    }),
    requestsInFlight: new Gauge({
      name: 'gazetteer_http_requests_in_flight',
      help: 'Requests that are being answered',
      registers,
    }),
  };
}
