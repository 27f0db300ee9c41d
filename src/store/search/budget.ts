import { AppError } from '../../errors.js';
import { toStoreError } from '../mongo-errors.js';
import type { Budget } from './search-store.js';

/** The least that a call is given: with less, the answer could not arrive anyway. */
const LEAST_MS = 1;

/** Options of a read that must end within the budget, and within `atMostMs` where that is less. */
export function callOptions(budget: Budget, atMostMs = Number.POSITIVE_INFINITY) {
  return {
    maxTimeMS: Math.max(LEAST_MS, Math.ceil(Math.min(remainingMs(budget), atMostMs))),
    ...(budget.signal && { signal: budget.signal }),
  };
}

/** Throws DEADLINE_EXCEEDED when nothing is left. */
export function remainingMs(budget: Budget): number {
  budget.signal?.throwIfAborted();
  const left = budget.deadline - performance.now();
  if (left <= 0) throw new AppError('DEADLINE_EXCEEDED', 'The search did not end in the time allowed; try again');
  return left;
}

/** Runs a read, with the database's failures as the rest of the server knows them. */
export async function withinBudget<T>(budget: Budget, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    // An aborted call fails in ways of its own: why it was aborted is what counts.
    budget.signal?.throwIfAborted();
    throw toStoreError(error);
  }
}
