import { decode } from '../../bson/decode.js';
import { encode } from '../../bson/encode.js';
import type { BsonValue, Doc } from '../../bson/values.js';
import type { CursorReply } from '../../cursors/cursor-reply.js';
import { CommandError } from '../../errors.js';
import type { Transaction } from '../../storage/engine.js';
import { rawField } from '../../wire/raw-document.js';
import {
  checkStatement,
  collectionName,
  databaseName,
  type FieldTable,
  integer,
  isDocument,
  numeric,
  truthy,
} from '../arguments.js';
import type { Command } from '../command.js';
import { type CommandContext, existingOrNew, type Namespace } from '../context.js';
import { openCursor } from '../read/open-cursor.js';
import { deleteMany, deleteOne } from './delete.js';
import { lazily, prepareDocument } from './insert.js';
import { type CompiledModification, compileModification } from './modification.js';
import { runStatements, type StatementResult, type StatementsOutcome, statementCount } from './statements.js';
import { updateMany, updateOf, updateOne } from './update.js';

/** Writes of all kinds to several collections. Source: bulkWrite command of server 8.0, "MongoDB CRUD bulkWrite" specification. */
export const bulkWrite: Command = {
  help: 'Runs writes of all kinds on several collections.',
  fields: {
    bypassDocumentValidation: 'boolish',
    cursor: 'object',
    errorsOnly: 'bool',
    let: 'object',
    nsInfo: 'any',
    ops: 'any',
    ordered: 'bool',
    rawData: 'boolish',
    stmtId: 'number',
    stmtIds: 'array',
  },
  rawFields: ['ops', 'nsInfo'],
  adminOnly: true,
  inTransaction: true,
  retryable: true,
  writeConcern: true,
  run: async (context) => {
    const encodedOps = required(context, 'ops');
    const namespaces = required(context, 'nsInfo').map((bytes) => namespaceOf(decode(bytes)));
    statementCount(encodedOps.length);
    const operations = encodedOps.map((bytes) => readOperation(context, bytes, namespaces));
    const outcome = await runStatements(context, {
      count: operations.length,
      ordered: context.body.ordered === undefined || truthy(context.body.ordered),
      detailed: true,
      bytesOf: (index) => encodedOps[index]!.length,
      isAlone: (index) => operations[index]!.many !== undefined,
      runAlone: (index) => operations[index]!.many!(),
      run: (transaction, index) => {
        const { many, one } = operations[index]!;
        return many === undefined ? one(transaction) : many();
      },
    });
    return replyOf(context, operations, outcome);
  },
};

type OperationKind = 'insert' | 'update' | 'delete';

interface Operation {
  readonly kind: OperationKind;
  readonly one: (transaction: Transaction) => StatementResult;
  /** Present when it is on many documents. */
  readonly many: (() => Promise<StatementResult>) | undefined;
}

const FIELDS: Readonly<Record<OperationKind, FieldTable>> = {
  insert: { document: { type: 'object', required: true }, insert: 'number' },
  update: {
    arrayFilters: 'array',
    collation: 'refused',
    constants: 'object',
    filter: { type: 'object', required: true },
    hint: 'objectOrString',
    multi: 'bool',
    sort: 'object',
    update: 'number',
    updateMods: { type: 'objectOrArray', required: true },
    upsert: 'bool',
  },
  delete: {
    collation: 'refused',
    delete: 'number',
    filter: { type: 'object', required: true },
    hint: 'objectOrString',
    multi: 'bool',
  },
};

function required(context: CommandContext, name: string): readonly Uint8Array[] {
  const documents = context.rawArray(name);
  if (documents === undefined) {
    throw new CommandError(40414, `BSON field 'bulkWrite.${name}' is missing but a required field`);
  }
  return documents;
}

function namespaceOf(info: Doc): Namespace {
  checkStatement('bulkWrite.nsInfo', info, {
    collectionUUID: 'refused',
    encryptionInformation: 'refused',
    ns: { type: 'string', required: true },
  });
  const ns = info.ns as string;
  const dot = ns.indexOf('.');
  if (dot < 1) throw new CommandError(73, `Invalid namespace specified for bulkWrite: '${ns}'`);
  const db = databaseName(ns.slice(0, dot));
  return { db, collection: collectionName(db, ns.slice(dot + 1)) };
}

function readOperation(context: CommandContext, bytes: Uint8Array, namespaces: readonly Namespace[]): Operation {
  const op = decode(bytes);
  const kind = Object.keys(op)[0] as OperationKind;
  if (!Object.hasOwn(FIELDS, kind)) {
    throw new CommandError(9, `BSON field 'bulkWrite.ops' holds an unknown operation '${kind}'`);
  }
  checkStatement(`bulkWrite.ops.${kind}`, op, FIELDS[kind]);
  const namespace = namespaces[numeric(op[kind])];
  if (namespace === undefined) {
    throw new CommandError(2, `BulkWrite ops entry has an invalid nsInfo index: ${numeric(op[kind])}`);
  }
  const isMany = truthy(op.multi);
  if (isMany && context.retryKey !== undefined) {
    throw new CommandError(72, 'Cannot use retryable writes with multi=true');
  }
  switch (kind) {
    case 'insert': {
      const document = lazily(() => prepareDocument(rawField(bytes, 'document')!.value));
      return {
        kind,
        many: undefined,
        one: (transaction) => {
          transaction.insert(existingOrNew(transaction, namespace), document());
          return { n: 1 };
        },
      };
    }
    case 'update': {
      const modification = lazily(() => modificationOf(context, op, isMany));
      return {
        kind,
        many: isMany ? () => updateMany(context, modification(), namespace) : undefined,
        one: (transaction) => updateOne(context, transaction, modification(), namespace),
      };
    }
    case 'delete': {
      const deletion = { filter: op.filter as Doc, hint: op.hint, variables: context.variables };
      return {
        kind,
        many: isMany ? () => deleteMany(context, deletion, namespace) : undefined,
        one: (transaction) => deleteOne(transaction, deletion, namespace),
      };
    }
  }
}

function modificationOf(context: CommandContext, op: Doc, multi: boolean): CompiledModification {
  if (multi && op.sort !== undefined) throw new CommandError(9, 'Cannot specify sort with multi=true');
  return compileModification({
    filter: op.filter as Doc,
    update: updateOf(op.updateMods, multi),
    arrayFilters: op.arrayFilters as Doc[] | undefined,
    sort: isDocument(op.sort) ? op.sort : undefined,
    hint: op.hint,
    upsert: truthy(op.upsert),
    multi,
    variables: context.withVariables(op.constants),
  });
}

async function replyOf(
  context: CommandContext,
  operations: readonly Operation[],
  outcome: StatementsOutcome,
): Promise<CursorReply> {
  const totals = {
    nErrors: outcome.writeErrors.length,
    nInserted: 0,
    nMatched: 0,
    nModified: 0,
    nUpserted: 0,
    nDeleted: 0,
  };
  const rows: { index: number; row: Doc }[] = outcome.writeErrors.map(({ index, ...error }) => ({
    index: index as number,
    row: { ok: 0, idx: index!, ...error, n: 0 },
  }));
  for (const { index, n, nModified, upsertedId } of outcome.details as unknown as (StatementResult & {
    index: number;
  })[]) {
    const { kind } = operations[index]!;
    if (kind === 'insert') totals.nInserted += n;
    else if (kind === 'delete') totals.nDeleted += n;
    else if (upsertedId !== undefined) totals.nUpserted += 1;
    else totals.nMatched += n;
    totals.nModified += nModified ?? 0;
    if (truthy(context.body.errorsOnly)) continue;
    rows.push({ index, row: resultRow(kind, index, n, nModified, upsertedId) });
  }
  rows.sort((a, b) => a.index - b.index);
  const { cursor } = context.body;
  const reply = await openCursor(context, {
    namespace: 'admin.$cmd.bulkWrite',
    batchSize: isDocument(cursor) ? (integer(cursor, 'batchSize', { min: 0 }) ?? Infinity) : Infinity,
    rowsMax: rows.length,
    open: () => rowsOf(rows.map(({ row }) => encode(row))),
  });
  return reply.with(totals);
}

function resultRow(
  kind: OperationKind,
  idx: number,
  n: number,
  nModified: number | undefined,
  upserted: BsonValue,
): Doc {
  const row: Doc = { ok: 1, idx, n };
  if (kind === 'update') row.nModified = nModified ?? 0;
  if (upserted !== undefined) row.upserted = { _id: upserted };
  return row;
}

async function* rowsOf(rows: readonly Uint8Array[]): AsyncGenerator<readonly Uint8Array[], void, void> {
  if (rows.length > 0) yield rows;
}
