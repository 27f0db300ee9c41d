import { Long } from 'bson';
import type { BsonValue, Doc } from '../bson/values.js';
import { isDocument, isUuid } from '../commands/arguments.js';
import { CommandError } from '../errors.js';

/** The session fields of a command, checked against each other as the server does. */
export interface TransactionFields {
  readonly sessionId: string | undefined;
  readonly txnNumber: bigint | undefined;
  /** Part of a multi-document transaction (`autocommit: false`). */
  readonly multiDocument: boolean;
  readonly start: boolean;
}

/** @throws CommandError 72, 14 or 40414 as the server does. */
export function readTransactionFields(body: Doc): TransactionFields {
  const sessionId = body.lsid === undefined ? undefined : sessionIdOf(body.lsid);
  const { autocommit, startTransaction } = body;
  const txnNumber = body.txnNumber === undefined ? undefined : longOf(body.txnNumber);
  if (txnNumber !== undefined && sessionId === undefined) {
    throw new CommandError(72, 'Transaction number requires a session ID to also be specified');
  }
  if (autocommit !== undefined) {
    if (txnNumber === undefined) {
      throw new CommandError(72, "'autocommit' field requires a transaction number to also be specified");
    }
    if (autocommit !== false) throw new CommandError(72, 'Specifying autocommit=true is not allowed.');
  }
  if (startTransaction !== undefined) {
    if (autocommit === undefined) {
      throw new CommandError(72, "'startTransaction' field requires 'autocommit' field to also be specified");
    }
    if (startTransaction !== true) throw new CommandError(72, 'Specifying startTransaction=false is not allowed.');
  }
  return { sessionId, txnNumber, multiDocument: autocommit === false, start: startTransaction === true };
}

export function sessionIdOf(lsid: BsonValue): string {
  if (!isDocument(lsid)) throw new CommandError(14, "BSON field 'lsid' is the wrong type, expected type 'object'");
  if (lsid.id === undefined) throw new CommandError(40414, "BSON field 'lsid.id' is missing but a required field");
  if (!isUuid(lsid.id))
    throw new CommandError(14, "BSON field 'lsid.id' is the wrong type, expected a UUID (BinData 4)");
  return Buffer.from(lsid.id.buffer.buffer, lsid.id.buffer.byteOffset, 16).toString('hex');
}

function longOf(value: BsonValue): bigint {
  const number =
    value instanceof Long ? value.toBigInt() : typeof value === 'number' ? BigInt(Math.trunc(value)) : undefined;
  if (number === undefined)
    throw new CommandError(14, "BSON field 'txnNumber' is the wrong type, expected type 'long'");
  if (number < 0n) throw new CommandError(72, 'Transaction number cannot be negative');
  return number;
}
