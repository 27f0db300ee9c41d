import {
  MongoError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoServerError,
  MongoServerSelectionError,
  MongoTopologyClosedError,
  MongoWriteConcernError,
} from 'mongodb';
import { AppError } from '../errors.js';
import { isLostConnection, withoutBulkCoat } from './lost-connection.js';

/** MongoDB's numbers that we act on. Source: error codes of the MongoDB manual. */
export const MONGO_CODE = {
  namespaceNotFound: 26,
  indexNotFound: 27,
  namespaceExists: 48,
  maxTimeExpired: 50,
  commandNotFound: 59,
  indexAlreadyExists: 68,
  writeConflict: 112,
  duplicateKey: 11000,
  searchNotEnabled: 31082,
  unknownStage: 40324,
} as const;

export function hasMongoCode(error: unknown, ...codes: number[]): boolean {
  return error instanceof MongoServerError && typeof error.code === 'number' && codes.includes(error.code);
}

/** A unique index refused the write; bulk writes report it as the first of their errors. */
export function isDuplicateKey(error: unknown): boolean {
  return hasMongoCode(error, MONGO_CODE.duplicateKey);
}

/** Codes of a server that is going away, changing its primary or overloaded: the same call may succeed soon. */
const UNAVAILABLE_CODES = [6, 7, 89, 91, 134, 189, 262, 489, 9001, 10107, 11600, 11602, 13435, 13436];

/**
 * What the rest of the server sees of a database failure: STORE_UNAVAILABLE where the database cannot be reached or is
 * overloaded, DEADLINE_EXCEEDED for maxTimeMS. For errors of driver calls alone. Anything else stays as it is: a bug, which the API masks and logs.
 */
export function toStoreError(thrown: unknown): unknown {
  const error = withoutBulkCoat(thrown);
  if (isLostConnection(error)) return unavailable(error);
  if (!(error instanceof MongoError)) return error;
  if (hasMongoCode(error, MONGO_CODE.maxTimeExpired))
    return new AppError('DEADLINE_EXCEEDED', 'The database did not answer in the time allowed; try again', {
      cause: error,
    });
  return isUnavailable(error) ? unavailable(error) : error;
}

function unavailable(cause: Error): AppError {
  return new AppError('STORE_UNAVAILABLE', 'The database cannot be reached; try again soon', { cause });
}

function isUnavailable(error: MongoError): boolean {
  return (
    error instanceof MongoNetworkError ||
    error instanceof MongoServerSelectionError ||
    error instanceof MongoTopologyClosedError ||
    error instanceof MongoNotConnectedError ||
    error instanceof MongoWriteConcernError ||
    hasMongoCode(error, ...UNAVAILABLE_CODES) ||
    // What withTransaction could not bring through within its two minutes.
    error.hasErrorLabel('TransientTransactionError') ||
    error.hasErrorLabel('UnknownTransactionCommitResult')
  );
}

/** Every function of `part` with its rejections translated. */
export function withStoreErrors<T extends object>(part: T): T {
  const wrapped = Object.entries(part).map(([name, member]) => [
    name,
    typeof member === 'function'
      ? async (...args: unknown[]) => {
          try {
            return await member.apply(part, args);
          } catch (error) {
            throw toStoreError(error);
          }
        }
      : member,
  ]);
  return Object.fromEntries(wrapped) as T;
}
