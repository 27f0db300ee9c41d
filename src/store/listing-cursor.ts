import { AppError } from '../errors.js';
import type { Page } from './records.js';
import type { Scope } from './scope.js';
import type { Sealer } from './sealing.js';

/** Names a listing, so that a cursor of one opens in no other: what is listed, for whom, and under which filter and order. */
export function listingName(kind: string, scope: Scope, parameters: Readonly<Record<string, unknown>>): string {
  return JSON.stringify([kind, scope.owner, scope.agents, parameters]);
}

/** Where a page ended, or undefined for the first page. Throws `AppError` BAD_USER_INPUT for a cursor of anything else. */
export function positionAfter(sealer: Sealer, listing: string, after: string | undefined): unknown {
  if (after === undefined) return undefined;
  const position = sealer.open(listing, after);
  if (position === undefined)
    throw new AppError(
      'BAD_USER_INPUT',
      'The cursor given as `after` is not one of this list: pass a cursor from a page of the same list with the same filter and order',
    );
  return position;
}

/** A page from one row more than it shows: the extra row only tells that there is a next page. */
export function pageOf<Row, T>(
  rows: readonly Row[],
  first: number,
  options: { seal: (position: unknown) => string; positionOf: (row: Row) => unknown; record: (row: Row) => T },
): Page<T> {
  return {
    items: rows
      .slice(0, first)
      .map((row) => ({ cursor: options.seal(options.positionOf(row)), node: options.record(row) })),
    hasNextPage: rows.length > first,
  };
}
