import { AsyncLocalStorage } from 'node:async_hooks';

/** What is counted and remembered about one request: for its log line, for metrics, and for tests that count calls. */
export interface RequestTrace {
  readonly requestId: string;
  /** By the name of the call. */
  readonly storeCalls: Map<string, number>;
  providerCalls: number;
  operationName: string | null;
  operationType: string | null;
  /** Codes of the errors that were sent. */
  readonly errorCodes: Set<string>;
}

const storage = new AsyncLocalStorage<RequestTrace>();

export function newTrace(requestId: string): RequestTrace {
  return {
    requestId,
    storeCalls: new Map(),
    providerCalls: 0,
    operationName: null,
    operationType: null,
    errorCodes: new Set(),
  };
}

export function withTrace<T>(trace: RequestTrace, run: () => T): T {
  return storage.run(trace, run);
}

/** Undefined outside of a request, e.g. in a background sweep. */
export function currentTrace(): RequestTrace | undefined {
  return storage.getStore();
}
