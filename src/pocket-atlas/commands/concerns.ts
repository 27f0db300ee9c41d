import { Timestamp } from 'bson';
import { typeName } from '../bson/type.js';
import type { Doc } from '../bson/values.js';
import { CommandError } from '../errors.js';
import { checkStatement, isDocument, numeric } from './arguments.js';

/** Read and write concerns: one node that flushes before it answers satisfies all that one node can. */

const READ_LEVELS = ['available', 'linearizable', 'local', 'majority', 'snapshot'];
const TRANSACTION_READ_LEVELS = ['local', 'majority', 'snapshot'];

/** @throws CommandError 9 or 72 for a read concern that this command cannot have. */
export function checkReadConcern(
  command: string,
  body: Doc,
  where: { readonly supported: boolean; readonly inTransaction: boolean; readonly firstInTransaction: boolean },
): void {
  const concern = body.readConcern;
  if (!isDocument(concern)) return;
  checkStatement('readConcern', concern, {
    afterClusterTime: 'any',
    atClusterTime: 'any',
    level: 'string',
    provenance: 'string',
  });
  const level = concern.level as string | undefined;
  if (level !== undefined && !READ_LEVELS.includes(level)) {
    throw new CommandError(
      9,
      `readConcern.level must be one of ${READ_LEVELS.map((name) => `'${name}'`).join(', ')}, got '${level}'`,
    );
  }
  for (const name of ['afterClusterTime', 'atClusterTime'] as const) {
    const value = concern[name];
    if (value !== undefined && !(value instanceof Timestamp)) {
      throw new CommandError(
        14,
        `BSON field 'readConcern.${name}' is the wrong type '${typeName(value)}', expected type 'timestamp'`,
      );
    }
  }
  if (concern.atClusterTime !== undefined && level !== 'snapshot') {
    throw new CommandError(72, "readConcern.atClusterTime is only allowed with level 'snapshot'");
  }
  if (where.inTransaction) {
    if (!where.firstInTransaction) {
      throw new CommandError(72, 'Only the first command in a transaction may specify a readConcern');
    }
    if (level !== undefined && !TRANSACTION_READ_LEVELS.includes(level)) {
      throw new CommandError(
        72,
        "The readConcern level must be either 'local' (default), 'majority' or 'snapshot' in order to run in a transaction",
      );
    }
  } else if (!where.supported && level !== undefined && level !== 'local') {
    throw new CommandError(
      72,
      `Command ${command} does not support { readConcern: { level: "${level}" } } (or equivalent)`,
    );
  }
}

/** A concern that one node can never satisfy: what the reply says beside its result. */
export interface WriteConcernFailure {
  readonly code: number;
  readonly codeName: string;
  readonly errmsg: string;
  readonly errInfo?: Doc;
}

/** @throws CommandError 72 or 9 for a write concern that cannot be one. */
export function checkWriteConcern(
  command: string,
  body: Doc,
  where: { readonly supported: boolean; readonly inTransaction: boolean; readonly endsTransaction: boolean },
): WriteConcernFailure | undefined {
  const concern = body.writeConcern;
  if (!isDocument(concern)) return undefined;
  if (where.inTransaction && !where.endsTransaction) {
    throw new CommandError(72, 'writeConcern is not allowed within a multi-statement transaction');
  }
  checkStatement('writeConcern', concern, {
    fsync: 'boolish',
    getLastError: 'any',
    j: 'boolish',
    provenance: 'string',
    w: 'any',
    wOpTime: 'any',
    wtimeout: 'number',
  });
  if (!where.supported) {
    throw new CommandError(72, `Command ${command} does not support writeConcern`);
  }
  const { w } = concern;
  if (w === undefined || w === 'majority') return undefined;
  if (typeof w === 'string') {
    return {
      code: 79,
      codeName: 'UnknownReplWriteConcern',
      errmsg: `No write concern mode named '${w}' found in replica set configuration`,
    };
  }
  if (!['int', 'long', 'double'].includes(typeName(w))) {
    throw new CommandError(9, `w has to be a number, string, or object; found: ${typeName(w)}`);
  }
  const nodes = numeric(w);
  if (nodes < 0 || nodes > 50) throw new CommandError(9, 'w has to be a non-negative number and not greater than 50');
  if (nodes > 1) {
    return { code: 100, codeName: 'UnsatisfiableWriteConcern', errmsg: 'Not enough data-bearing nodes' };
  }
  return undefined;
}
