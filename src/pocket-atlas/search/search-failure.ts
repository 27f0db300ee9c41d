import { CommandError } from '../errors.js';

/**
 * A failure inside the search engine, before it is known which namespace and command it belongs to. On MongoDB such a
 * message comes from mongot without a number, so that mongod reports it as 8 UnknownError behind its own prefix
 * (ATLAS.md §1.4); `asCommandError` does the same.
 */
export class SearchFailure extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SearchFailure';
  }
}

/** The failure as an aggregate's client sees it. Other errors pass through unchanged. */
export function asCommandError(error: unknown, namespace: string): unknown {
  if (!(error instanceof SearchFailure)) return error;
  const prefix = `Executor error during aggregate command on namespace: ${namespace} :: caused by :: `;
  return new CommandError(8, prefix + error.message, { cause: error });
}
