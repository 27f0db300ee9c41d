import { ObjectId } from 'bson';
import { decode } from '../../bson/decode.js';
import { checkDocumentSize, encode } from '../../bson/encode.js';
import type { Doc } from '../../bson/values.js';
import { CommandError } from '../../errors.js';
import { joinDocuments, rawField, withoutField } from '../../wire/raw-document.js';
import { truthy } from '../arguments.js';
import type { Command } from '../command.js';
import { existingOrNew } from '../context.js';
import { runStatements, statementCount } from './statements.js';

export const insert: Command = {
  help: 'Inserts documents.',
  fields: {
    bypassDocumentValidation: 'boolish',
    documents: 'any',
    ordered: 'bool',
    rawData: 'boolish',
    stmtId: 'number',
    stmtIds: 'array',
  },
  rawFields: ['documents'],
  inTransaction: true,
  retryable: true,
  writeConcern: true,
  run: async (context) => {
    const documents = context.rawArray('documents');
    if (documents === undefined) {
      throw new CommandError(40414, "BSON field 'insert.documents' is missing but a required field");
    }
    statementCount(documents.length);
    const { db, collection } = context;
    const prepared = documents.map((document) => lazily(() => prepareDocument(document)));
    const outcome = await runStatements(context, {
      count: prepared.length,
      ordered: context.body.ordered === undefined || truthy(context.body.ordered),
      bytesOf: (index) => documents[index]!.length,
      run: (transaction, index) => {
        transaction.insert(existingOrNew(transaction, { db, collection }), prepared[index]!());
        return { n: 1 };
      },
    });
    const reply: Doc = { n: outcome.n };
    if (outcome.writeErrors.length > 0) reply.writeErrors = outcome.writeErrors;
    return reply;
  },
};

/** The document as it is stored: `_id` first, made when it is missing. @throws CommandError 2, 53 or 10334. */
export function prepareDocument(bytes: Uint8Array): Uint8Array {
  const stored = withIdFirst(bytes);
  checkDocumentSize(stored);
  return stored;
}

function withIdFirst(bytes: Uint8Array): Uint8Array {
  const id = rawField(bytes, '_id');
  if (id === undefined) return joinDocuments(encode({ _id: new ObjectId() }), bytes);
  assertStorableId(id.type, bytes);
  const isFirst = bytes[5] === 0x5f && bytes[6] === 0x69 && bytes[7] === 0x64 && bytes[8] === 0;
  if (isFirst) return bytes;
  return joinDocuments(encode({ _id: decode(bytes)._id }), withoutField(bytes, '_id'));
}

const UNSTORABLE_ID_TYPES: Readonly<Record<number, string>> = { 4: 'array', 6: 'undefined', 11: 'regex' };

function assertStorableId(type: number, bytes: Uint8Array): void {
  const name = UNSTORABLE_ID_TYPES[type];
  if (name !== undefined) throw new CommandError(53, `The '_id' value cannot be of type ${name}`);
  if (type !== 3) return;
  const id = decode(bytes)._id as Doc;
  const dollar = Object.keys(id).find((field) => field.startsWith('$'));
  if (dollar !== undefined) {
    throw new CommandError(52, `_id fields may not contain '$'-prefixed fields: ${dollar} is not valid for storage.`);
  }
}

/** A statement that runs again (after a conflict) must insert the same `_id`. */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
